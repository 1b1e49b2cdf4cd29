// SPDX-License-Identifier: Apache-2.0
//
// The code of one kernel of loops.

#ifndef MINIC_COMPILER_TARGET_CUDA_LOOPS_EMITLOOPS_H
#define MINIC_COMPILER_TARGET_CUDA_LOOPS_EMITLOOPS_H

#include "compiler/target/cuda/loops/LoopsSchedule.h"

#include "mlir/IR/BuiltinOps.h"

namespace minic::cuda {

/// Adds the kernel `name` to `device`: all result elements of `fusion`, whose
/// loops are `loops`.
void emitLoops(mlir::ModuleOp device, mlir::Location loc, llvm::StringRef name,
               kernel::FusionOp fusion, const MapLoops &loops,
               const LoopsSchedule &schedule);

} // namespace minic::cuda

#endif // MINIC_COMPILER_TARGET_CUDA_LOOPS_EMITLOOPS_H
