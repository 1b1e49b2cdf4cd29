// SPDX-License-Identifier: Apache-2.0
//
// Demand: which rows of every value some rows of the results depend on.

#ifndef MINIC_COMPILER_REFERENCE_DEMAND_H
#define MINIC_COMPILER_REFERENCE_DEMAND_H

#include "compiler/reference/Evaluator.h"
#include "compiler/reference/Trace.h"

#include "llvm/ADT/BitVector.h"

namespace minic::reference {

/// A bit per row of each resolved value of a trace; values that no demanded row
/// depends on are absent.
using Demand = llvm::DenseMap<mlir::Value, llvm::BitVector>;

/// Walks `trace` backwards from `rows` of its results (all if empty). Exact
/// but for reshapes and transposes that change rows, which may ask for more.
Demand computeDemand(const Trace &trace, llvm::ArrayRef<RowDemand> rows);

} // namespace minic::reference

#endif // MINIC_COMPILER_REFERENCE_DEMAND_H
