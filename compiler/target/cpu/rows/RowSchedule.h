// SPDX-License-Identifier: Apache-2.0
//
// RowSchedule: how the rows of a RowFusion are cut into tiles.

#ifndef MINIC_COMPILER_TARGET_CPU_ROWS_ROWSCHEDULE_H
#define MINIC_COMPILER_TARGET_CPU_ROWS_ROWSCHEDULE_H

#include "compiler/target/DeviceProfile.h"
#include "compiler/target/cpu/rows/RowWalks.h"

#include <string>
#include <vector>

namespace minic::cpu {

struct RowSchedule {
  int64_t rows = 1; ///< of a tile
  /// What later walks need is kept in memory of the thread where it costs more
  /// to compute again (see RowWalks).
  bool keeps = false;
  /// Pieces of a row, each a tile of its own, where rows are too few for the
  /// threads. Each walk is a launch then. How many there are does not depend on
  /// threads, nor does the order in which they merge.
  int64_t pieces = 1;

  int64_t tiles(const RowFusion &fusion) const {
    return (fusion.rows() + rows - 1) / rows * pieces;
  }
  friend bool operator==(const RowSchedule &lhs,
                         const RowSchedule &rhs) = default;
};

struct EstimatedRows {
  RowSchedule schedule;
  double us;
};

/// The schedules worth measuring, best estimate first; one to eight. `bytes` is
/// the size of all operands and results.
std::vector<EstimatedRows> enumerateSchedules(const RowFusion &rows,
                                              double bytes,
                                              const DeviceProfile &profile);

/// "rows tile=4", with " keep" where values are kept; "rows pieces=8",
/// with " keep".
std::string toString(const RowSchedule &schedule);
mlir::DictionaryAttr toAttr(const RowSchedule &schedule,
                            mlir::MLIRContext *context);
/// That of the implementation of `fusion`. Any other is a diagnostic.
mlir::FailureOr<RowSchedule> parseRowSchedule(kernel::FusionOp fusion);

} // namespace minic::cpu

#endif // MINIC_COMPILER_TARGET_CPU_ROWS_ROWSCHEDULE_H
