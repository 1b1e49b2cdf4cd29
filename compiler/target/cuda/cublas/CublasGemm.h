// SPDX-License-Identifier: Apache-2.0
//
// cuBLAS as eager execution calls it. Nothing of it is linked: a lowering
// writes a plan.call that the runtime executes.

#ifndef MINIC_COMPILER_TARGET_CUDA_CUBLAS_CUBLASGEMM_H
#define MINIC_COMPILER_TARGET_CUDA_CUBLAS_CUBLASGEMM_H

#include "compiler/target/KernelFamily.h"

namespace minic::cuda {

/// A contraction alone, dense operands, the library's own choice: GemmEx, or
/// cuBLASLt with a bias for a linear that has one.
class CublasGemm : public LibraryBackend {
public:
  llvm::StringRef name() const override { return "cublas"; }
  llvm::StringRef version() const override { return "1"; }
  bool isFor(mlir::Operation *anchor) const override {
    return anchor && graph::isContraction(anchor);
  }
  bool fusesEpilogue() const override { return false; }
  std::optional<std::string>
  reject(kernel::FusionOp fusion, const DeviceProfile &profile) const override;
  std::vector<Implementation>
  enumerate(kernel::FusionOp fusion,
            const DeviceProfile &profile) const override;
  mlir::LogicalResult lower(kernel::FusionOp fusion,
                            plan::PlanBuilder &plan) const override;
};

} // namespace minic::cuda

#endif // MINIC_COMPILER_TARGET_CUDA_CUBLAS_CUBLASGEMM_H
