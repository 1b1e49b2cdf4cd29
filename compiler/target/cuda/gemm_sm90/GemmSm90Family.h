// SPDX-License-Identifier: Apache-2.0
//
// The family gemm_sm90: one contraction with pointwise ops after it on the
// tensor cores of Hopper, which read both operands from shared memory.

#ifndef MINIC_COMPILER_TARGET_CUDA_GEMM_SM90_GEMMSM90FAMILY_H
#define MINIC_COMPILER_TARGET_CUDA_GEMM_SM90_GEMMSM90FAMILY_H

#include "compiler/target/KernelFamily.h"
#include "compiler/target/cuda/gemm/ConvolutionView.h"

namespace minic::cuda {

/// Takes linear and matmul of bf16 and f16, of more than 32 rows and any N, K
/// and batch, with any pointwise ops after it, and convolutions that are such a
/// product (isPlainProduct). Operands whose rows are not
/// contiguous in K are relaid, constants at compile time.
class GemmSm90Family : public KernelFamily {
public:
  llvm::StringRef name() const override { return "gemm_sm90"; }
  llvm::StringRef version() const override { return "9"; }
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

#endif // MINIC_COMPILER_TARGET_CUDA_GEMM_SM90_GEMMSM90FAMILY_H
