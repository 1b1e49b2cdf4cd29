// SPDX-License-Identifier: Apache-2.0
//
// MLIR names an op only within the text of its message, so the text is read.

#include "compiler/import/ExplainParseErrors.h"

#include "dialects/graph/UnknownOp.h"

#include "mlir/IR/Location.h"
#include "mlir/IR/MLIRContext.h"

using namespace mlir;

namespace minic {

/// `text` from its first word on: without white space and comments.
static StringRef skipToWord(StringRef text) {
  text = text.ltrim();
  while (text.starts_with("//")) {
    text = text.drop_until([](char c) { return c == '\n'; }).ltrim();
  }
  return text;
}

ExplainParseErrors::ExplainParseErrors(MLIRContext *context, StringRef text)
    : context(context), handler(context, [this](Diagnostic &diagnostic) {
        return explain(diagnostic);
      }) {
  StringRef rest = skipToWord(text);
  StringRef before = text.drop_back(rest.size());
  firstLine += before.count('\n');
  firstColumn += before.size() - (before.rfind('\n') + 1);
  firstWord =
      rest.take_until([](char c) { return isspace(c); }).take_front(20).str();
}

/// What stands between the quotes after `before`; empty where it does not.
static StringRef quotedAfter(StringRef text, StringRef before) {
  size_t at = text.find(before);
  return at == StringRef::npos
             ? StringRef()
             : text.substr(at + before.size()).split('\'').first;
}

/// The op of "custom op 'x' is unknown ..." and "Dialect `d' not found for
/// custom op 'd.x'"; empty for other errors, which ops' own parsers emit with
/// the same start.
static StringRef foreignOp(StringRef text) {
  bool isForeign =
      text.starts_with("Dialect `") ||
      (text.starts_with("custom op '") && text.contains("' is unknown (tried"));
  return isForeign ? quotedAfter(text, "custom op '") : StringRef();
}

LogicalResult ExplainParseErrors::explain(Diagnostic &diagnostic) {
  std::string message = diagnostic.str();
  StringRef text = message;
  auto report = [&](const Twine &better) {
    emitError(diagnostic.getLocation()) << better;
    return success();
  };
  StringRef foreign = foreignOp(text);
  auto place = dyn_cast<FileLineColLoc>(diagnostic.getLocation());
  if (place && place.getLine() == firstLine &&
      place.getColumn() == firstColumn &&
      (!foreign.empty() || text.starts_with("unexpected character") ||
       text.starts_with("expected operation name in quotes"))) {
    return report(expectedModelText + ", got text that starts with '" +
                  firstWord + "'");
  }
  if (StringRef op = quotedAfter(text, "unregistered operation '");
      op.starts_with("graph.")) {
    return report(graph::unknownOpText(context, op));
  }
  if (!foreign.empty()) {
    return report("no op '" + foreign + "'; " + modelOpsText);
  }
  if (text.starts_with("operation being parsed with an unregistered dialect")) {
    return report("op of an unknown dialect; " + modelOpsText);
  }
  return failure();
}

} // namespace minic
