// SPDX-License-Identifier: Apache-2.0
//
// The code of one pointwise kernel.

#ifndef MINIC_COMPILER_TARGET_CUDA_POINTWISE_EMITPOINTWISE_H
#define MINIC_COMPILER_TARGET_CUDA_POINTWISE_EMITPOINTWISE_H

#include "compiler/target/codegen/RunBound.h"
#include "compiler/target/cuda/pointwise/PointwiseSchedule.h"

#include "mlir/IR/BuiltinOps.h"

namespace minic::cuda {

/// Adds the kernel `name` to `device`: the nodes of `loops` at every element of
/// the results. `operands` is how many addresses come before the results';
/// `dtypes` are the results'. With a `bound` blocks behind the rows of a run
/// end at once; the address of its size comes last.
void emitPointwise(mlir::ModuleOp device, mlir::Location loc,
                   llvm::StringRef name, const PointwiseLoops &loops,
                   const PointwiseSchedule &schedule, int64_t operands,
                   llvm::ArrayRef<mlir::Type> dtypes,
                   const std::optional<RunBound> &bound = std::nullopt);

} // namespace minic::cuda

#endif // MINIC_COMPILER_TARGET_CUDA_POINTWISE_EMITPOINTWISE_H
