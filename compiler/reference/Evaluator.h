// SPDX-License-Identifier: Apache-2.0
//
// Evaluator: the float64 meaning of graph ops, with a running bound on how far
// a correct kernel may be from it. Shares no code with any backend.

#ifndef MINIC_COMPILER_REFERENCE_EVALUATOR_H
#define MINIC_COMPILER_REFERENCE_EVALUATOR_H

#include "runtime/measure/ExpectedOutputs.h"

#include "mlir/IR/Block.h"
#include "llvm/ADT/StringMap.h"

#include <string>
#include <vector>

namespace minic::reference {

/// The inputs of a body: dense row-major host bytes, an i1 in one byte, as in
/// runtime::Tensor. Not owned.
struct Inputs {
  /// One per block argument, in order.
  std::vector<const void *> arguments;
  /// Constants that carry no value, by name (graph.constant @name).
  llvm::StringMap<const void *> constants;
};

/// Rows of one result, in the sense of runtime::ExpectedOutput: `rows` in
/// ascending order, or all of them.
struct RowDemand {
  bool all = true;
  std::vector<int64_t> rows;
};

struct EvaluationOptions {
  /// One per result; empty: all rows of every result.
  std::vector<RowDemand> rows;
  /// Names of the results; empty: "output0", "output1", ...
  std::vector<std::string> outputNames;
  /// Gives elements of which no bound can say anything (the tolerance is
  /// infinite) the value that comes out without any rounding, by evaluating
  /// once more; 0 otherwise. For root mean squares.
  bool fillsUnbounded = false;
  /// Takes every op to compute exactly: no element has a tolerance.
  bool isExact = false;
};

/// Evaluates what the terminator of `body` returns. `body` is the block of a
/// func.func or of a kernel.fusion and holds graph ops, kernel.fusion (its body
/// is evaluated) and kernel.relayout (the identity). Shapes must be static.
///
/// Values are unrounded; tolerances bound what any correct implementation may
/// differ by, fused or not, in any summation order, where every value may be
/// rounded to its declared dtype (Tolerance.h). Only the elements that the
/// demanded rows need are computed. Integers beyond 2^53 are approximate.
///
/// Fails with a diagnostic on an unknown op, a dynamic shape or a constant
/// without bytes. Thread-safe for different bodies; one thread is used.
mlir::FailureOr<std::vector<runtime::ExpectedOutput>>
evaluate(mlir::Block &body, const Inputs &inputs,
         const EvaluationOptions &options = {});

/// How to choose rows when evaluating all of them would take too long.
struct RowBudget {
  /// One core's time that evaluate() may roughly take.
  double seconds = 0.25;
  /// As EvaluationOptions::isExact: takes less.
  bool isExact = false;
  /// Seeds the choice of random rows; change it from round to round.
  uint64_t seed = 0;
  /// Tile heights: the rows on both sides of their first and last multiple are
  /// chosen before random ones.
  std::vector<int64_t> tileRows = {8, 16, 64};
};

/// Rows of each result of `body`: all where that fits the budget; else first,
/// last, tile edges and random rows, as many as fit. Never fewer than the first
/// and the last, even where they alone take longer.
std::vector<RowDemand> chooseRows(mlir::Block &body, const RowBudget &budget);

/// Roughly how long evaluate() takes, in seconds of one core.
double estimateSeconds(mlir::Block &body, llvm::ArrayRef<RowDemand> rows,
                       bool isExact = false);

} // namespace minic::reference

#endif // MINIC_COMPILER_REFERENCE_EVALUATOR_H
