// SPDX-License-Identifier: Apache-2.0
//
// The code of one rows kernel.

#ifndef MINIC_COMPILER_TARGET_CPU_ROWS_EMITROWS_H
#define MINIC_COMPILER_TARGET_CPU_ROWS_EMITROWS_H

#include "compiler/target/cpu/rows/RowSchedule.h"

#include "mlir/IR/BuiltinOps.h"

namespace minic::cpu {

/// Adds the entry `name` to `device`. A tile is `schedule.rows` rows; the
/// thread's memory has `scratchBytes` of the walks. `operands` is how many
/// addresses come before the results'.
void emitRows(mlir::ModuleOp device, mlir::Location loc, llvm::StringRef name,
              const RowFusion &rows, const RowSchedule &schedule,
              const DeviceProfile &profile, int64_t operands);

} // namespace minic::cpu

#endif // MINIC_COMPILER_TARGET_CPU_ROWS_EMITROWS_H
