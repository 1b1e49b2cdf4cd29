// SPDX-License-Identifier: Apache-2.0
//
// The family attention: scores, softmax and weighted values in one kernel.

#ifndef MINIC_COMPILER_TARGET_CUDA_ATTENTION_ATTENTIONFAMILY_H
#define MINIC_COMPILER_TARGET_CUDA_ATTENTION_ATTENTIONFAMILY_H

#include "compiler/target/KernelFamily.h"

namespace minic::cuda {

/// Takes a graph.attention of bf16 or f16, with the transposes, slices and
/// reshapes around it, on tensor cores of sm_80 and newer, by wgmma too where
/// rows are many on sm_90a. Heads have at most
/// 256 contiguous elements, in rows aligned to 4 bytes. f32 is left to the
/// expanded form, whose products are exact to f32.
///
/// Schedule: AttentionSchedule. Name: "attention 64x64 warps=4x1 stages=2 pdl",
/// "attention 128x64 warps=8x1 stages=2 wgmma ahead pdl".
class AttentionFamily : public KernelFamily {
public:
  llvm::StringRef name() const override { return "attention"; }
  llvm::StringRef version() const override { return "4"; }
  bool isFor(mlir::Operation *anchor) const override {
    return llvm::isa_and_nonnull<graph::AttentionOp>(anchor);
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

#endif // MINIC_COMPILER_TARGET_CUDA_ATTENTION_ATTENTIONFAMILY_H
