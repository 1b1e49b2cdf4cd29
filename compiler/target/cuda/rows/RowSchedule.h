// SPDX-License-Identifier: Apache-2.0
//
// RowSchedule: how the rows of a RowFusion are spread over threads.

#ifndef MINIC_COMPILER_TARGET_CUDA_ROWS_ROWSCHEDULE_H
#define MINIC_COMPILER_TARGET_CUDA_ROWS_ROWSCHEDULE_H

#include "compiler/target/DeviceProfile.h"
#include "compiler/target/codegen/RowFusion.h"

#include <string>
#include <vector>

namespace minic::cuda {

/// `threads` share a row: part of a warp, a warp, or several. A thread has
/// vectors of `vector` consecutive columns, `threads` vectors apart.
struct RowSchedule {
  int64_t threads = 32;
  int64_t rows = 1; ///< of a block
  int64_t vector = 1;
  /// Vectors that a thread has at a time.
  int64_t unroll = 1;
  /// A thread has all of its row in registers. Otherwise each pass reads the
  /// row again, mostly from L1.
  bool keeps = true;
  /// The launch may begin while the one before it ends (sm_90).
  bool programmatic = false;

  int64_t blockThreads() const { return threads * rows; }
  /// Columns that the threads of a row take at a time.
  int64_t step() const { return threads * vector * unroll; }
};

/// The schedules worth measuring, best estimate first; at least one.
std::vector<RowSchedule> enumerateSchedules(const RowFusion &rows,
                                            const DeviceProfile &profile);

/// Why `rows` cannot be computed by `schedule`; empty where they can.
std::string mismatch(const RowFusion &rows, const RowSchedule &schedule);

/// "rows 256x1 8x2", with " again" where the row is not kept, then " pdl".
std::string toString(const RowSchedule &schedule);
mlir::DictionaryAttr toAttr(const RowSchedule &schedule,
                            mlir::MLIRContext *context);
/// Emits a diagnostic at `loc` for what is no schedule.
mlir::FailureOr<RowSchedule> parseRowSchedule(mlir::DictionaryAttr attr,
                                              mlir::Location loc);

} // namespace minic::cuda

#endif // MINIC_COMPILER_TARGET_CUDA_ROWS_ROWSCHEDULE_H
