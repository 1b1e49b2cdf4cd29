// SPDX-License-Identifier: Apache-2.0
//
// The code of one kernel of loops.

#ifndef MINIC_COMPILER_TARGET_CUDA_LOOPS_EMITLOOPS_H
#define MINIC_COMPILER_TARGET_CUDA_LOOPS_EMITLOOPS_H

#include "compiler/target/codegen/RunBound.h"
#include "compiler/target/cuda/loops/LoopsSchedule.h"

#include "mlir/IR/BuiltinOps.h"

namespace minic::cuda {

/// Adds the kernel `name` to `device`: all result elements of `fusion`, whose
/// loops are `loops`. With a `bound` blocks behind the rows of a run end at
/// once; the address of its size comes last.
void emitLoops(mlir::ModuleOp device, mlir::Location loc, llvm::StringRef name,
               kernel::FusionOp fusion, const MapLoops &loops,
               const LoopsSchedule &schedule,
               const std::optional<RunBound> &bound = std::nullopt);

} // namespace minic::cuda

#endif // MINIC_COMPILER_TARGET_CUDA_LOOPS_EMITLOOPS_H
