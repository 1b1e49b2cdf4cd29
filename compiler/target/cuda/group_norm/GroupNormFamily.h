// SPDX-License-Identifier: Apache-2.0
//
// The family group_norm: group norms whose result is in NHWC, with pointwise
// ops behind them.

#ifndef MINIC_COMPILER_TARGET_CUDA_GROUP_NORM_GROUPNORMFAMILY_H
#define MINIC_COMPILER_TARGET_CUDA_GROUP_NORM_GROUPNORMFAMILY_H

#include "compiler/target/KernelFamily.h"

namespace minic::cuda {

/// Takes group_norm of f32, bf16 and f16 between the transposes that bring an
/// operand of NHWC to it and its result back. A group has few neighbours in
/// memory there: rows, which read one group, throw most of each sector away.
/// Here blocks read whole pixels, or the same pixels of each plane of an
/// operand in NCHW: a launch for mean and variance of parts of the image, and
/// one that merges these, in a fixed order, and writes.
///
/// Schedule: GroupNormSchedule. Name: "group_norm 8x4 blocks=128 pdl".
class GroupNormFamily : public KernelFamily {
public:
  llvm::StringRef name() const override { return "group_norm"; }
  llvm::StringRef version() const override { return "2"; }
  bool isFor(mlir::Operation *anchor) const override {
    return mlir::isa_and_present<graph::GroupNormOp>(anchor);
  }
  std::optional<std::string>
  reject(kernel::FusionOp fusion, const DeviceProfile &profile) const override;
  std::vector<Implementation>
  enumerate(kernel::FusionOp fusion,
            const DeviceProfile &profile) const override;
  mlir::LogicalResult lower(kernel::FusionOp fusion,
                            plan::PlanBuilder &plan) const override;
  mlir::LogicalResult emit(plan::KernelOp kernel, const DeviceProfile &profile,
                           mlir::ModuleOp device) const override;
};

} // namespace minic::cuda

#endif // MINIC_COMPILER_TARGET_CUDA_GROUP_NORM_GROUPNORMFAMILY_H
