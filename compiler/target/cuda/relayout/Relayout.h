// SPDX-License-Identifier: Apache-2.0
//
// Run-time relayout: a dense activation into a #kernel.layout, as a generated
// kernel. (Constants are packed when the artifact is written.)

#ifndef MINIC_COMPILER_TARGET_CUDA_RELAYOUT_RELAYOUT_H
#define MINIC_COMPILER_TARGET_CUDA_RELAYOUT_RELAYOUT_H

#include "compiler/target/DeviceProfile.h"
#include "dialects/plan/FusionLowering.h"

#include "mlir/IR/BuiltinOps.h"

namespace minic::cuda {

/// Adds the launch that packs `op`'s dense operand. Padding becomes zero.
/// Emits a diagnostic where the operand is not dense or the result is.
mlir::LogicalResult lowerRelayout(kernel::RelayoutOp op,
                                  plan::PlanBuilder &plan,
                                  const DeviceProfile &profile);

/// Adds to `device` the entry of `kernel`, whose body is a relayout.
mlir::LogicalResult emitRelayout(plan::KernelOp kernel,
                                 const DeviceProfile &profile,
                                 mlir::ModuleOp device);

} // namespace minic::cuda

#endif // MINIC_COMPILER_TARGET_CUDA_RELAYOUT_RELAYOUT_H
