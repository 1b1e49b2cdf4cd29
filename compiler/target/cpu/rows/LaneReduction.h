// SPDX-License-Identifier: Apache-2.0
//
// LaneReduction: states of a reduction, one per lane of a vector, as one.

#ifndef MINIC_COMPILER_TARGET_CPU_ROWS_LANEREDUCTION_H
#define MINIC_COMPILER_TARGET_CPU_ROWS_LANEREDUCTION_H

#include "compiler/target/codegen/KernelBuilder.h"
#include "dialects/graph/Graph.h"

namespace minic::cpu {

using ReductionState = llvm::SmallVector<mlir::Value>;

/// Merges states of disjoint columns, neighbours first; `states` is not empty.
ReductionState mergeStates(KernelBuilder &k, graph::ReductionOpInterface op,
                           llvm::SmallVector<ReductionState> states);

/// The state of all lanes of `state`, a power of two and at least two.
ReductionState mergeLanes(KernelBuilder &k, graph::ReductionOpInterface op,
                          ReductionState state);

} // namespace minic::cpu

#endif // MINIC_COMPILER_TARGET_CPU_ROWS_LANEREDUCTION_H
