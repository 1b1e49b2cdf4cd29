// SPDX-License-Identifier: Apache-2.0
//
// One walk over the text, which knows brackets, strings, comments and the
// definitions of aliases (#name = ..., !name = ...).

#include "compiler/import/CheckNesting.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"

#include <algorithm>

using llvm::StringRef;

namespace minic {
namespace {

class NestingCheck {
public:
  explicit NestingCheck(StringRef text) : text(text) {}
  NestingProblem run();

private:
  /// What an alias stands for: brackets inside of each other, and how many
  /// attributes without aliases.
  struct Extent {
    int depth = 0;
    int64_t leaves = 0;
  };

  void step();
  void skipString();
  void readWord();
  void use(const Extent &extent);
  void refuse(std::string message) {
    if (problem.message.empty()) {
      problem.message = std::move(message);
      StringRef before = text.take_front(at);
      problem.line = unsigned(before.count('\n')) + 1;
      problem.column = unsigned(at - (before.rfind('\n') + 1)) + 1;
    }
  }
  char next(size_t distance = 1) const {
    return at + distance < text.size() ? text[at + distance] : '\0';
  }

  StringRef text;
  size_t at = 0;
  int depth = 0;
  llvm::StringMap<Extent> aliases;
  /// The one that was defined last. Where its definition ends is not known; so
  /// what follows counts as its own until it is used itself.
  Extent *defined = nullptr;
  NestingProblem problem;
};

} // namespace

static bool isWord(char c) {
  return llvm::isAlnum(c) || c == '_' || c == '.' || c == '$';
}

void NestingCheck::skipString() {
  for (++at; at < text.size() && text[at] != '"' && text[at] != '\n'; ++at) {
    at += text[at] == '\\';
  }
  ++at;
}

void NestingCheck::use(const Extent &extent) {
  if (depth + extent.depth > maxNesting) {
    refuse("nested more than " + std::to_string(maxNesting) + " deep");
  }
  if (defined) {
    defined->depth = std::max(defined->depth, depth + extent.depth);
    defined->leaves += extent.leaves;
    if (defined->leaves > maxAliasLeaves) {
      refuse("an alias stands for more than " + std::to_string(maxAliasLeaves) +
             " attributes");
    }
  }
}

/// A word, or an alias with its '#' or '!', which may have a '-' inside.
void NestingCheck::readWord() {
  size_t start = at++;
  bool isAlias = text[start] == '#' || text[start] == '!';
  while (at < text.size() &&
         (isWord(text[at]) || (isAlias && text[at] == '-'))) {
    ++at;
  }
  StringRef word = text.slice(start, at);
  if (word == "affine_map" || word == "affine_set") {
    refuse("unsupported: " + word.str() + " in a model");
  }
  StringRef rest = text.substr(at).ltrim();
  if (depth == 0 && isAlias && rest.starts_with("=") &&
      !rest.starts_with("==")) {
    defined = &aliases[word];
    *defined = Extent();
    return;
  }
  auto known = isAlias ? aliases.find(word) : aliases.end();
  if (known == aliases.end()) {
    return;
  }
  if (defined == &known->second) {
    defined = nullptr;
  }
  use({known->second.depth, std::max<int64_t>(known->second.leaves, 1)});
}

void NestingCheck::step() {
  char c = text[at];
  if (c == '"') {
    skipString();
  } else if (c == '/' && next() == '/') {
    at = std::min(text.find('\n', at), text.size());
  } else if (c == '-' && next() == '>') {
    at += 2;
  } else if ((c == '<' || c == '>') && next() == '=') {
    at += 2;
  } else if (StringRef("([{<").contains(c)) {
    ++depth;
    use({});
    ++at;
  } else if (StringRef(")]}>").contains(c)) {
    depth = std::max(depth - 1, 0);
    ++at;
  } else if (c == '#' || c == '!' || isWord(c)) {
    readWord();
  } else {
    ++at;
  }
}

NestingProblem NestingCheck::run() {
  while (at < text.size() && problem.message.empty()) {
    step();
  }
  return problem;
}

NestingProblem checkNesting(StringRef text) { return NestingCheck(text).run(); }

} // namespace minic
