// SPDX-License-Identifier: Apache-2.0
//
// The family conv_depthwise: convolutions with one input channel per group.

#ifndef MINIC_COMPILER_TARGET_CUDA_CONV_DEPTHWISE_CONVDEPTHWISEFAMILY_H
#define MINIC_COMPILER_TARGET_CUDA_CONV_DEPTHWISE_CONVDEPTHWISEFAMILY_H

#include "compiler/target/KernelFamily.h"
#include "compiler/target/cuda/gemm/ConvolutionView.h"

namespace minic::cuda {

/// Takes depthwise conv2d of f32, bf16 and f16 in both layouts, with any
/// pointwise ops after it: no tensor cores, sums of float32 in registers. In
/// NHWC filters are asked for as [R, S, K].
///
/// Schedule: DepthwiseSchedule. Name: "conv_depthwise 8x4 threads=128 pdl".
class ConvDepthwiseFamily : public KernelFamily {
public:
  llvm::StringRef name() const override { return "conv_depthwise"; }
  llvm::StringRef version() const override { return "1"; }
  bool isFor(mlir::Operation *anchor) const override {
    return isDepthwise(anchor);
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

#endif // MINIC_COMPILER_TARGET_CUDA_CONV_DEPTHWISE_CONVDEPTHWISEFAMILY_H
