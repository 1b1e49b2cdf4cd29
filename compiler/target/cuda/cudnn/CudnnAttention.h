// SPDX-License-Identifier: Apache-2.0
//
// cuDNN's scaled dot-product attention.

#ifndef MINIC_COMPILER_TARGET_CUDA_CUDNN_CUDNNATTENTION_H
#define MINIC_COMPILER_TARGET_CUDA_CUDNN_CUDNNATTENTION_H

#include "compiler/target/KernelFamily.h"

namespace minic::cuda {

/// A graph.attention of bf16 or f16, with the transposes, slices and reshapes
/// around it: cuDNN takes any strides, of vectors of 16 bytes. Heads have up to
/// 256 elements, a multiple of 8. A mask may be one of floats. Its kernels are
/// compiled when a plan is loaded.
///
/// Not what a kernel of minic's own is there for: a mask of i1, a length known
/// at run time, a window, a cap of scores, the logarithm of their sum.
class CudnnAttention : public LibraryBackend {
public:
  llvm::StringRef name() const override { return "cudnn_attention"; }
  llvm::StringRef version() const override { return "1"; }
  bool isFor(mlir::Operation *anchor) const override {
    return llvm::isa_and_nonnull<graph::AttentionOp>(anchor);
  }
  bool fusesEpilogue() const override { return false; }
  BackendLabel label() const override { return BackendLabel::Cudnn; }
  bool isExpandable() const override { return true; }
  std::optional<std::string>
  reject(kernel::FusionOp fusion, const DeviceProfile &profile) const override;
  std::vector<Implementation>
  enumerate(kernel::FusionOp fusion,
            const DeviceProfile &profile) const override;
  /// An attention that leaves out keys: a NaN in one of their values comes
  /// through all the same.
  std::string opsThatLoseNan(kernel::FusionOp fusion) const override;
  mlir::LogicalResult lower(kernel::FusionOp fusion,
                            plan::PlanBuilder &plan) const override;
};

} // namespace minic::cuda

#endif // MINIC_COMPILER_TARGET_CUDA_CUDNN_CUDNNATTENTION_H
