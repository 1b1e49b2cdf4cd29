// SPDX-License-Identifier: Apache-2.0
//
// The code of one rows kernel.

#ifndef MINIC_COMPILER_TARGET_CUDA_ROWS_EMITROWS_H
#define MINIC_COMPILER_TARGET_CUDA_ROWS_EMITROWS_H

#include "compiler/target/cuda/rows/RowSchedule.h"

#include "mlir/IR/BuiltinOps.h"

namespace minic::cuda {

/// Adds the kernel `name` to `device`. `operands` is how many addresses come
/// before the results'; `schedule` fits `rows`.
void emitRows(mlir::ModuleOp device, mlir::Location loc, llvm::StringRef name,
              const RowFusion &rows, const RowSchedule &schedule,
              int64_t operands);

} // namespace minic::cuda

#endif // MINIC_COMPILER_TARGET_CUDA_ROWS_EMITROWS_H
