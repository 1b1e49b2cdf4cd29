// SPDX-License-Identifier: Apache-2.0
//
// Marks: numbers in locations, by which ops of a later phase are found to come
// from ops of an earlier one. Passes carry locations along; kernels, problems
// and artifacts do not depend on them.

#ifndef MINIC_COMPILER_EXPLAIN_MARKS_H
#define MINIC_COMPILER_EXPLAIN_MARKS_H

#include "mlir/IR/Operation.h"

#include <cstdint>
#include <vector>

namespace minic {

enum class Mark {
  Captured, // an op of the model, numbered in its function
  Fusion    // a fusion, by its place in FunctionEvidence.fusions
};

/// Adds a mark around the location that `op` has.
void addMark(mlir::Operation *op, Mark mark, int64_t number);

/// The numbers of such marks in `location`, ascending, each once.
std::vector<int64_t> marksIn(mlir::Location location, Mark mark);

} // namespace minic

#endif // MINIC_COMPILER_EXPLAIN_MARKS_H
