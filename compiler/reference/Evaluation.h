// SPDX-License-Identifier: Apache-2.0
//
// Evaluation: one graph op on rows of its operands.

#ifndef MINIC_COMPILER_REFERENCE_EVALUATION_H
#define MINIC_COMPILER_REFERENCE_EVALUATION_H

#include "compiler/reference/Contraction.h"

namespace minic::reference {

/// Whether the reference has a meaning for `op`, apart from constants.
bool isEvaluated(mlir::Operation *op);

/// The given rows of `op`'s result number `number`; `op` is any op of a Trace
/// but a constant, and `operand` has the rows that computeDemand asked for.
RowTensor evaluateOp(mlir::Operation *op, Lookup operand,
                     const llvm::BitVector &rows, unsigned number = 0);

} // namespace minic::reference

#endif // MINIC_COMPILER_REFERENCE_EVALUATION_H
