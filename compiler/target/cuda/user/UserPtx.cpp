// SPDX-License-Identifier: Apache-2.0
//
// PTX is read as words: an entry's name stands alone wherever it is meant.

#include "compiler/target/cuda/user/UserPtx.h"

#include "llvm/ADT/StringExtras.h"

namespace minic::cuda {

using llvm::StringRef;

static bool isNameCharacter(char c) {
  return llvm::isAlnum(c) || c == '_' || c == '$';
}

/// Where `word` stands in `text` from `from` on, not inside of another name.
static size_t findWord(StringRef text, StringRef word, size_t from) {
  for (size_t at = text.find(word, from); at != StringRef::npos;
       at = text.find(word, at + 1)) {
    size_t end = at + word.size();
    if ((at == 0 || !isNameCharacter(text[at - 1])) &&
        (end == text.size() || !isNameCharacter(text[end]))) {
      return at;
    }
  }
  return StringRef::npos;
}

/// The kernels that `ptx` has, with commas between them.
static std::string listEntries(StringRef ptx) {
  std::string names;
  for (size_t at = findWord(ptx, "entry", 0); at != StringRef::npos;
       at = findWord(ptx, "entry", at + 1)) {
    StringRef name = ptx.drop_front(at + 5).ltrim().take_while(isNameCharacter);
    if (at != 0 && ptx[at - 1] == '.' && !name.empty()) {
      names += (names.empty() ? "" : ", ") + name.str();
    }
  }
  return names.empty() ? "none" : names;
}

llvm::Expected<std::string> renameEntry(StringRef ptx, StringRef entry,
                                        unsigned parameters, StringRef name) {
  std::string result;
  size_t from = 0;
  bool isFound = false;
  for (size_t at = findWord(ptx, entry, 0); at != StringRef::npos;
       at = findWord(ptx, entry, from)) {
    if (ptx.take_front(at).rtrim().ends_with(".entry")) {
      isFound = true;
      StringRef list = ptx.drop_front(at + entry.size()).ltrim();
      size_t count =
          list.consume_front("(")
              ? list.take_until([](char c) { return c == ')'; }).count(".param")
              : 0;
      if (count != parameters) {
        return llvm::createStringError(
            "expected '" + entry + "' to take " + llvm::Twine(parameters) +
            " parameters (pointers to its operands, then its results, then its "
            "scalars), got " +
            llvm::Twine(count));
      }
    }
    result += ptx.slice(from, at);
    result += name;
    from = at + entry.size();
  }
  if (!isFound) {
    return llvm::createStringError("has no kernel '" + entry + "'; there is " +
                                   listEntries(ptx));
  }
  result += ptx.drop_front(from);
  return result;
}

} // namespace minic::cuda
