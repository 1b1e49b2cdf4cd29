// SPDX-License-Identifier: Apache-2.0
//
// cuBLASLt with an epilogue. Nothing of it is linked: a lowering writes a
// plan.call that the runtime executes.

#ifndef MINIC_COMPILER_TARGET_CUDA_CUBLASLT_CUBLASLTMATMUL_H
#define MINIC_COMPILER_TARGET_CUDA_CUBLASLT_CUBLASLTMATMUL_H

#include "compiler/target/KernelFamily.h"

namespace minic::cuda {

/// A contraction with the epilogues of LtEpilogue.h, dense and, where pitches
/// are no multiples of 16 bytes, padded. Each is one implementation; the
/// library's algorithms for it are found when it is measured.
class CublasltMatmul : public LibraryBackend {
public:
  llvm::StringRef name() const override { return "cublaslt"; }
  llvm::StringRef version() const override { return "1"; }
  bool isFor(mlir::Operation *anchor) const override {
    return anchor && graph::isContraction(anchor);
  }
  bool fusesEpilogue() const override { return true; }
  bool offersBareAnchor() const override { return true; }
  bool isExpandable() const override { return true; }
  std::optional<std::string>
  reject(kernel::FusionOp fusion, const DeviceProfile &profile) const override;
  std::vector<Implementation>
  enumerate(kernel::FusionOp fusion,
            const DeviceProfile &profile) const override;
  std::string opsThatLoseNan(kernel::FusionOp fusion) const override;
  mlir::LogicalResult lower(kernel::FusionOp fusion,
                            plan::PlanBuilder &plan) const override;
};

} // namespace minic::cuda

#endif // MINIC_COMPILER_TARGET_CUDA_CUBLASLT_CUBLASLTMATMUL_H
