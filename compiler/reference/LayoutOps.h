// SPDX-License-Identifier: Apache-2.0
//
// LayoutOps: the meaning of graph.reshape and graph.transpose.

#ifndef MINIC_COMPILER_REFERENCE_LAYOUTOPS_H
#define MINIC_COMPILER_REFERENCE_LAYOUTOPS_H

#include "compiler/reference/RowTensor.h"

namespace minic::reference {

/// Fills the rows of `result` with those elements of `input`, which has the
/// rows that computeDemand asked for.
void evaluateReshape(const RowTensor &input, RowTensor &result);
void evaluateTranspose(const RowTensor &input,
                       llvm::ArrayRef<int64_t> permutation, RowTensor &result);

} // namespace minic::reference

#endif // MINIC_COMPILER_REFERENCE_LAYOUTOPS_H
