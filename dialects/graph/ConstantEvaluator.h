// SPDX-License-Identifier: Apache-2.0
//
// The interface through which constant folding does all arithmetic.
// compiler/reference implements it.

#ifndef MINIC_DIALECTS_GRAPH_CONSTANTEVALUATOR_H
#define MINIC_DIALECTS_GRAPH_CONSTANTEVALUATOR_H

#include "mlir/IR/BuiltinAttributeInterfaces.h"
#include "mlir/IR/Operation.h"

namespace minic::graph {

/// Thread-compatible.
class ConstantEvaluator {
public:
  virtual ~ConstantEvaluator() = default;
  /// The value of `op`'s only result where its operands are `operands` (dense,
  /// one per operand): computed in float64 and rounded once to the result's
  /// dtype, to nearest even. Null where the op is not one it evaluates, or the
  /// result is undefined (a float that does not fit the integer dtype).
  virtual mlir::ElementsAttr
  evaluate(mlir::Operation *op,
           llvm::ArrayRef<mlir::ElementsAttr> operands) const = 0;
};

} // namespace minic::graph

#endif // MINIC_DIALECTS_GRAPH_CONSTANTEVALUATOR_H
