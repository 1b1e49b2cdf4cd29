// SPDX-License-Identifier: Apache-2.0
//
// The kernel family of GEMMs with few rows.

#ifndef MINIC_COMPILER_TARGET_CUDA_GEMM_SKINNY_GEMMSKINNYFAMILY_H
#define MINIC_COMPILER_TARGET_CUDA_GEMM_SKINNY_GEMMSKINNYFAMILY_H

#include "compiler/target/KernelFamily.h"
#include "compiler/target/cuda/gemm/ConvolutionView.h"

namespace minic::cuda {

/// y = x W^T with up to 32 rows of x and any epilogue: the time is that of
/// reading W. Takes bf16, f16 and f32 (FFMA, or tensor cores where tf32 is
/// allowed); W is [N, K] in memory, which a [K, N] constant becomes by its
/// layout, with rows padded to 16 bytes. A convolution of so few pixels may be
/// such a product (isPlainProduct). Up to 8 rows of x may be made by pointwise
/// ops, or be normed ones: each block makes them for itself while its weights
/// are on their way, which saves a launch.
///
/// Schedule: SkinnySchedule. Name: "gemm_skinny 16 mma warps=8 split=1 unroll=4
/// pdl".
class GemmSkinnyFamily : public KernelFamily {
public:
  llvm::StringRef name() const override { return "gemm_skinny"; }
  llvm::StringRef version() const override { return "4"; }
  bool isFor(mlir::Operation *anchor) const override {
    return anchor && (graph::isContraction(anchor) || isPlainProduct(anchor));
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

#endif // MINIC_COMPILER_TARGET_CUDA_GEMM_SKINNY_GEMMSKINNYFAMILY_H
