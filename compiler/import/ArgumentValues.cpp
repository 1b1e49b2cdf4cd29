// SPDX-License-Identifier: Apache-2.0
//
// The attribute on arguments, checked and read.

#include "compiler/import/ArgumentValues.h"

#include "dialects/kernel/OperandValues.h"

using namespace mlir;

namespace minic {

/// Whether tensors of `element` can hold `values`.
static bool holds(Type element, const kernel::OperandValues &values) {
  if ((values.kind == kernel::ValuesKind::Mask) != element.isInteger(1)) {
    return false;
  }
  auto integer = dyn_cast<IntegerType>(element);
  if (!integer || integer.getWidth() == 1) {
    return integer && values.lower >= 0 && values.upper <= 1;
  }
  unsigned width = integer.getWidth();
  return llvm::isIntN(width, values.lower) && llvm::isIntN(width, values.upper);
}

LogicalResult setArgumentValues(func::FuncOp function) {
  for (BlockArgument argument : function.getArguments()) {
    unsigned index = argument.getArgNumber();
    auto type = dyn_cast<RankedTensorType>(argument.getType());
    if (!type) {
      continue;
    }
    Attribute given = function.getArgAttr(index, kernel::valuesAttrName);
    auto values =
        given ? kernel::toOperandValues(given) : kernel::deriveValues(argument);
    bool isSound = values && holds(type.getElementType(), *values);
    if (given && !isSound) {
      return function.emitError("expected ")
             << kernel::valuesAttrName << " of argument " << index
             << " to be {index = array<i64: LOWER, UPPER>}, length or mask, "
                "within its dtype, got "
             << given << " for " << type;
    }
    if (isSound) {
      function.setArgAttr(index, kernel::valuesAttrName,
                          kernel::toAttribute(*values, function.getContext()));
    }
  }
  return success();
}

std::optional<runtime::OperandValues> getArgumentValues(func::FuncOp function,
                                                        unsigned index) {
  auto values = kernel::toOperandValues(
      function.getArgAttr(index, kernel::valuesAttrName));
  if (!values) {
    return std::nullopt;
  }
  return runtime::OperandValues{static_cast<runtime::ValuesKind>(values->kind),
                                values->lower, values->upper};
}

} // namespace minic
