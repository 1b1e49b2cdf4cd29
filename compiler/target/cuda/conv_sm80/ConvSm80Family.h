// SPDX-License-Identifier: Apache-2.0
//
// The family conv_sm80: convolutions as implicit GEMMs by the kernels of
// gemm_sm80.

#ifndef MINIC_COMPILER_TARGET_CUDA_CONV_SM80_CONVSM80FAMILY_H
#define MINIC_COMPILER_TARGET_CUDA_CONV_SM80_CONVSM80FAMILY_H

#include "compiler/target/KernelFamily.h"
#include "compiler/target/cuda/gemm/ConvolutionView.h"

namespace minic::cuda {

/// Takes conv2d of f32, bf16 and f16 of any stride, pad, dilation and groups,
/// with any pointwise ops after it, but no product of matrices (gemm_sm80) and
/// none of one channel per group (conv_depthwise). Images are asked for in
/// NHWC, unless they have so few channels that elements are gathered; filters
/// as [K, R, S, C / groups].
///
/// Schedule: GemmSm80Schedule; "lhs" is of the images. Name: "conv_sm80
/// 128x128x64 warps=2x2 stages=3 group=8 math=mma".
class ConvSm80Family : public KernelFamily {
public:
  llvm::StringRef name() const override { return "conv_sm80"; }
  llvm::StringRef version() const override { return "3"; }
  bool isFor(mlir::Operation *anchor) const override {
    return isImplicitProduct(anchor);
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

#endif // MINIC_COMPILER_TARGET_CUDA_CONV_SM80_CONVSM80FAMILY_H
