// SPDX-License-Identifier: Apache-2.0
//
// Custom directive of ODS's assembly format.

#include "dialects/graph/BinaryTypes.h"

#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;

namespace minic::graph {

/// A custom directive sees no printing flags, so the request is a thread's.
static thread_local int longForms = 0;

PrintAllBinaryTypes::PrintAllBinaryTypes() { ++longForms; }
PrintAllBinaryTypes::~PrintAllBinaryTypes() { --longForms; }

ParseResult parseBinaryTypes(OpAsmParser &parser, Type &lhs, Type &rhs,
                             Type &result) {
  SMLoc loc = parser.getCurrentLocation();
  Type type;
  if (parser.parseType(type)) {
    return failure();
  }
  auto function = dyn_cast<FunctionType>(type);
  if (!function) {
    lhs = rhs = result = type;
    return success();
  }
  if (function.getNumInputs() != 2 || function.getNumResults() != 1) {
    return parser.emitError(loc, "expects one type, or two operand types and "
                                 "a result type, got ")
           << function;
  }
  lhs = function.getInput(0);
  rhs = function.getInput(1);
  result = function.getResult(0);
  return success();
}

void printBinaryTypes(OpAsmPrinter &printer, Operation *, Type lhs, Type rhs,
                      Type result) {
  if (longForms == 0 && lhs == rhs && lhs == result) {
    printer << lhs;
    return;
  }
  printer << '(' << lhs << ", " << rhs << ") -> " << result;
}

} // namespace minic::graph
