// SPDX-License-Identifier: Apache-2.0
//
// The code of the kernels of one fusion.

#ifndef MINIC_COMPILER_TARGET_CUDA_ROWS_EMITROWS_H
#define MINIC_COMPILER_TARGET_CUDA_ROWS_EMITROWS_H

#include "compiler/target/codegen/RunBound.h"
#include "compiler/target/cuda/rows/RowSchedule.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/SmallBitVector.h"

namespace minic::cuda {

/// Adds to `device` the kernels `names`, one for each of the schedule's
/// launches. `constants` has a bit for each operand, set where no launch writes
/// it: their addresses come before the results'; behind these come workspace
/// and counters where RowWorkspace.h says so, and with a `bound` the size of a
/// run: blocks behind its rows end at once. `schedule` fits `rows`.
void emitRows(mlir::ModuleOp device, mlir::Location loc, mlir::ArrayAttr names,
              const RowFusion &rows, const RowSchedule &schedule,
              const llvm::SmallBitVector &constants,
              const std::optional<RunBound> &bound = std::nullopt);

} // namespace minic::cuda

#endif // MINIC_COMPILER_TARGET_CUDA_ROWS_EMITROWS_H
