// SPDX-License-Identifier: Apache-2.0
//
// Registration, and what ODS generates.

#include "dialects/plan/Plan.h"

#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

#include "dialects/plan/PlanDialect.cpp.inc"
#include "dialects/plan/PlanEnums.cpp.inc"

namespace minic::plan {

// "lhs = <operand = 0, ...>, rhs = <...>"

static ParseResult parseOperands(AsmParser &parser,
                                 SmallVector<OperandAttr> &operands) {
  auto parseOperand = [&]() -> ParseResult {
    StringRef role;
    if (parser.parseKeyword(&role) || parser.parseEqual()) {
      return failure();
    }
    FailureOr<TensorViewAttr> view = FieldParser<TensorViewAttr>::parse(parser);
    if (failed(view)) {
      return failure();
    }
    MLIRContext *context = parser.getContext();
    operands.push_back(
        OperandAttr::get(context, StringAttr::get(context, role), *view));
    return success();
  };
  return parser.parseCommaSeparatedList(parseOperand);
}

static void printOperands(AsmPrinter &printer, ArrayRef<OperandAttr> operands) {
  llvm::interleaveComma(operands, printer, [&](OperandAttr operand) {
    printer << operand.getRole().getValue() << " = ";
    printer.printStrippedAttrOrType(operand.getView());
  });
}

} // namespace minic::plan

#define GET_ATTRDEF_CLASSES
#include "dialects/plan/PlanAttrs.cpp.inc"
#define GET_TYPEDEF_CLASSES
#include "dialects/plan/PlanTypes.cpp.inc"

namespace minic::plan {

TensorViewAttr LibraryCallAttr::view(StringRef role) const {
  for (OperandAttr operand : getOperands()) {
    if (operand.getRole() == role) {
      return operand.getView();
    }
  }
  return {};
}

Attribute LibraryCallAttr::attribute(StringRef name) const {
  return getAttributes() ? getAttributes().get(name) : Attribute();
}

ArrayRef<Attribute> LibraryCallAttr::postOps() const {
  return getEpilogue() ? getEpilogue().getValue() : ArrayRef<Attribute>();
}

StringRef LibraryCallAttr::algorithm() const {
  return getAlgorithm() ? getAlgorithm().getValue() : StringRef();
}

} // namespace minic::plan

void minic::plan::PlanDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialects/plan/PlanAttrs.cpp.inc"
      >();
  addTypes<
#define GET_TYPEDEF_LIST
#include "dialects/plan/PlanTypes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialects/plan/PlanOps.cpp.inc"
      >();
}
