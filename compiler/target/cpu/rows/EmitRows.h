// SPDX-License-Identifier: Apache-2.0
//
// The code of the kernels of one fusion.

#ifndef MINIC_COMPILER_TARGET_CPU_ROWS_EMITROWS_H
#define MINIC_COMPILER_TARGET_CPU_ROWS_EMITROWS_H

#include "compiler/target/codegen/RunBound.h"
#include "compiler/target/cpu/rows/RowSchedule.h"

#include "mlir/IR/BuiltinOps.h"

namespace minic::cpu {

/// Adds the entries `names` to `device`, one for each of `launches`. A tile is
/// `schedule.rows` rows, or a piece of one; the thread's memory has
/// `scratchBytes` of the walks. `operands` is how many addresses come before
/// the results'; behind these comes the workspace of pieces, or with a `bound`,
/// where there are no pieces, the size of a run: tiles behind its rows are left
/// out.
void emitRows(mlir::ModuleOp device, mlir::Location loc, mlir::ArrayAttr names,
              const RowFusion &rows, const RowSchedule &schedule,
              const DeviceProfile &profile, int64_t operands,
              const std::optional<RunBound> &bound = std::nullopt);

} // namespace minic::cpu

#endif // MINIC_COMPILER_TARGET_CPU_ROWS_EMITROWS_H
