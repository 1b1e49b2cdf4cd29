// SPDX-License-Identifier: Apache-2.0
//
// Contraction: the meaning of graph.linear and graph.matmul.

#ifndef MINIC_COMPILER_REFERENCE_CONTRACTION_H
#define MINIC_COMPILER_REFERENCE_CONTRACTION_H

#include "compiler/reference/RowTensor.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace minic::reference {

using Lookup = llvm::function_ref<const RowTensor &(mlir::Value)>;

/// Fills the rows of `result`, the value of `op` (a graph.linear or
/// graph.matmul), from its operands.
void evaluateContraction(mlir::Operation *op, Lookup operand,
                         RowTensor &result);

} // namespace minic::reference

#endif // MINIC_COMPILER_REFERENCE_CONTRACTION_H
