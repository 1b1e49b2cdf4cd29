// SPDX-License-Identifier: Apache-2.0
//
// RowSchedule: how the rows of a RowFusion are spread over threads and blocks.

#ifndef MINIC_COMPILER_TARGET_CUDA_ROWS_ROWSCHEDULE_H
#define MINIC_COMPILER_TARGET_CUDA_ROWS_ROWSCHEDULE_H

#include "compiler/target/codegen/RowFusion.h"

#include <string>

namespace minic::cuda {

/// `threads` of each of `split` blocks share a row. A thread has vectors of
/// `vector` consecutive columns, rowThreads() vectors apart. Or it has `across`
/// rows at once, neighbours in memory: its vectors are of one column of each.
struct RowSchedule {
  int64_t threads = 32; ///< of a block and a row: part of a warp, or warps
  int64_t rows = 1;     ///< of a block, or groups of `across` rows
  int64_t vector = 1;
  /// Vectors that a thread has at a time.
  int64_t unroll = 1;
  /// A thread has all that it takes of a row in registers. Otherwise each pass
  /// reads it again, mostly from L1.
  bool keeps = true;
  /// The launch may begin while the one before it ends (sm_90).
  bool programmatic = false;
  /// Blocks that share a row.
  int64_t split = 1;
  /// They are a cluster (sm_90), and exchange what they know of a row in shared
  /// memory. Otherwise each pass over the rows is a launch, whose blocks leave
  /// it in the workspace: the next launch begins by merging that, and the last
  /// block of the last launch ends by it.
  bool cluster = false;
  /// Rows of a thread; more than one where `vector` is 1.
  int64_t across = 1;

  int64_t blockThreads() const { return threads * rows; }
  int64_t blockRows() const { return rows * across; }
  /// Of a thread's vectors.
  int64_t lanes() const { return vector * across; }
  int64_t rowThreads() const { return threads * split; }
  /// Columns that the threads of a row take at a time.
  int64_t step() const { return rowThreads() * vector * unroll; }
  /// Blocks that have the same rows are neighbours in the grid.
  int64_t blocks(const RowFusion &fusion) const {
    return (fusion.rows() + blockRows() - 1) / blockRows() * split;
  }
  bool usesWorkspace() const { return split > 1 && !cluster; }
  int64_t launches(const RowFusion &fusion) const {
    return usesWorkspace() ? fusion.passes() : 1;
  }

  friend bool operator==(const RowSchedule &lhs,
                         const RowSchedule &rhs) = default;
};

/// Why `rows` cannot be computed by `schedule`; empty where they can.
std::string mismatch(const RowFusion &rows, const RowSchedule &schedule);

/// "rows 256x1 8x2", with " across=8" for rows of a thread, " again" where the
/// row is not kept, then " split=4" or " cluster=4" where blocks share it, then
/// " pdl".
std::string toString(const RowSchedule &schedule);
mlir::DictionaryAttr toAttr(const RowSchedule &schedule,
                            mlir::MLIRContext *context);
/// Emits a diagnostic at `loc` for what is no schedule.
mlir::FailureOr<RowSchedule> parseRowSchedule(mlir::DictionaryAttr attr,
                                              mlir::Location loc);

} // namespace minic::cuda

#endif // MINIC_COMPILER_TARGET_CUDA_ROWS_ROWSCHEDULE_H
