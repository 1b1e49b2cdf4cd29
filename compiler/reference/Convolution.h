// SPDX-License-Identifier: Apache-2.0
//
// Convolution: the meaning of graph.conv2d.

#ifndef MINIC_COMPILER_REFERENCE_CONVOLUTION_H
#define MINIC_COMPILER_REFERENCE_CONVOLUTION_H

#include "compiler/reference/Contraction.h"
#include "dialects/graph/Graph.h"

namespace minic::reference {

/// Fills the rows of `result`, the value of `op`, from its operands.
void evaluateConvolution(graph::Conv2dOp op, Lookup operand, RowTensor &result);

/// Sets the rows of the input that `rows` of the result depend on.
void demandOfInput(graph::Conv2dOp op, const llvm::BitVector &rows,
                   llvm::BitVector &inputRows);

} // namespace minic::reference

#endif // MINIC_COMPILER_REFERENCE_CONVOLUTION_H
