// SPDX-License-Identifier: Apache-2.0
//
// MLIR alone would say "custom op 'graph.x' is unknown (tried 'func.graph.x' as
// well)".

#include "dialects/graph/UnknownOp.h"

#include "dialects/graph/Graph.h"
#include "dialects/graph/NearestName.h"

using namespace mlir;

namespace minic::graph {

std::string unknownOpText(MLIRContext *context, StringRef name) {
  // The common prefix is no likeness.
  StringRef suffix = name;
  suffix.consume_front("graph.");
  // getRegisteredOperationsByDialect finds none where the context has ops of
  // several dialects (its search compares by inequality).
  SmallVector<StringRef> names;
  for (RegisteredOperationName op : context->getRegisteredOperations()) {
    if (op.getDialectNamespace() == "graph") {
      names.push_back(op.stripDialect());
    }
  }
  std::string text = "no op '" + name.str() + "'; ";
  if (StringRef nearest = nearestName(suffix, names); !nearest.empty()) {
    text += "did you mean 'graph." + nearest.str() + "'? ";
  }
  return text + "docs/ops.md lists all ops";
}

std::optional<Dialect::ParseOpHook>
GraphDialect::getParseOperationHook(StringRef name) const {
  if (auto hook = Dialect::getParseOperationHook(name)) {
    return hook;
  }
  // The hook is a reference, called after this returns.
  static constexpr auto reject = [](OpAsmParser &parser,
                                    OperationState &state) {
    // The parser's own emitError would name the op once more.
    return ParseResult(
        emitError(parser.getEncodedSourceLoc(parser.getNameLoc()))
        << unknownOpText(parser.getContext(), state.name.getStringRef()));
  };
  return ParseOpHook(reject);
}

} // namespace minic::graph
