// SPDX-License-Identifier: Apache-2.0
//
// The family gemm_sm80: one contraction with pointwise ops before and after it
// on the tensor cores of sm_80 and newer, or on the f32 units.

#ifndef MINIC_COMPILER_TARGET_CUDA_GEMM_SM80_GEMMSM80FAMILY_H
#define MINIC_COMPILER_TARGET_CUDA_GEMM_SM80_GEMMSM80FAMILY_H

#include "compiler/target/KernelFamily.h"
#include "compiler/target/cuda/gemm/ConvolutionView.h"

namespace minic::cuda {

/// Takes linear and matmul of f32, bf16 and f16, of any M, N, K and batch, with
/// any pointwise ops before and after it, and convolutions that are such a
/// product (isPlainProduct). Operands whose rows are not
/// contiguous in K are relaid, constants at compile time.
class GemmSm80Family : public KernelFamily {
public:
  llvm::StringRef name() const override { return "gemm_sm80"; }
  llvm::StringRef version() const override { return "5"; }
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

#endif // MINIC_COMPILER_TARGET_CUDA_GEMM_SM80_GEMMSM80FAMILY_H
