// SPDX-License-Identifier: Apache-2.0
//
// Softmax: the meaning of graph.softmax, with a bound of its own.

#ifndef MINIC_COMPILER_REFERENCE_SOFTMAX_H
#define MINIC_COMPILER_REFERENCE_SOFTMAX_H

#include "compiler/reference/Contraction.h"
#include "dialects/graph/Graph.h"

#include "llvm/ADT/BitVector.h"

namespace minic::reference {

/// Sets the rows of `op`'s input that `rows` of its result are made of.
void demandOfInput(graph::SoftmaxOp op, const llvm::BitVector &rows,
                   llvm::BitVector &needed);

/// Fills the rows of `result`, the value of `op`, from its operand.
void evaluateSoftmax(graph::SoftmaxOp op, Lookup operand, RowTensor &result);

} // namespace minic::reference

#endif // MINIC_COMPILER_REFERENCE_SOFTMAX_H
