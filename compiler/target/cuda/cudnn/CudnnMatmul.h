// SPDX-License-Identifier: Apache-2.0
//
// cuDNN's matmuls with an epilogue.

#ifndef MINIC_COMPILER_TARGET_CUDA_CUDNN_CUDNNMATMUL_H
#define MINIC_COMPILER_TARGET_CUDA_CUDNN_CUDNNMATMUL_H

#include "compiler/target/KernelFamily.h"

namespace minic::cuda {

/// Contractions of f16, bf16 and, where tf32 is allowed, f32: cuDNN has tensor
/// cores alone for them. It fuses activations that cuBLASLt does not (exact
/// gelu, silu, tanh, sigmoid, leaky relu, clamp), by kernels that are compiled
/// when a plan is loaded.
class CudnnMatmul : public LibraryBackend {
public:
  llvm::StringRef name() const override { return "cudnn_matmul"; }
  llvm::StringRef version() const override { return "1"; }
  bool isFor(mlir::Operation *anchor) const override {
    return anchor && graph::isContraction(anchor);
  }
  bool fusesEpilogue() const override { return true; }
  BackendLabel label() const override { return BackendLabel::Cudnn; }
  bool offersBareAnchor() const override { return false; }
  bool isExpandable() const override { return true; }
  // Each of cuDNN's is compiled when it is loaded.
  llvm::StringRef cheaperPeer() const override { return "cublaslt"; }
  std::optional<std::string>
  reject(kernel::FusionOp fusion, const DeviceProfile &profile) const override;
  std::vector<Implementation>
  enumerate(kernel::FusionOp fusion,
            const DeviceProfile &profile) const override;
  mlir::LogicalResult lower(kernel::FusionOp fusion,
                            plan::PlanBuilder &plan) const override;
};

} // namespace minic::cuda

#endif // MINIC_COMPILER_TARGET_CUDA_CUDNN_CUDNNMATMUL_H
