// SPDX-License-Identifier: Apache-2.0
//
// Reduction: the meaning of graph.reduce.

#ifndef MINIC_COMPILER_REFERENCE_REDUCTION_H
#define MINIC_COMPILER_REFERENCE_REDUCTION_H

#include "compiler/reference/Contraction.h"
#include "dialects/graph/Graph.h"

#include "llvm/ADT/BitVector.h"

namespace minic::reference {

/// Sets the rows of `op`'s input that `rows` of its result are made of.
void demandOfInput(graph::ReduceOp op, const llvm::BitVector &rows,
                   llvm::BitVector &needed);

/// Fills the rows of `result`, the value of `op`, from its operand.
void evaluateReduce(graph::ReduceOp op, Lookup operand, RowTensor &result);

} // namespace minic::reference

#endif // MINIC_COMPILER_REFERENCE_REDUCTION_H
