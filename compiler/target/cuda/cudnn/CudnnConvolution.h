// SPDX-License-Identifier: Apache-2.0
//
// cuDNN's convolutions, bare or with an epilogue. Nothing of cuDNN is linked: a
// lowering writes a plan.call that the runtime executes.

#ifndef MINIC_COMPILER_TARGET_CUDA_CUDNN_CUDNNCONVOLUTION_H
#define MINIC_COMPILER_TARGET_CUDA_CUDNN_CUDNNCONVOLUTION_H

#include "compiler/target/KernelFamily.h"

namespace minic::cuda {

/// f32, f16 and bf16 convolutions, images as they are. Engines of tensor cores
/// want NHWC and copy what is not: so the filter of an NHWC convolution is
/// [K, R, S, C / groups] in memory, and that of an NCHW one may be; constants
/// become so at compile time.
///
/// What cuDNN 9.14 and 9.19 have engines for on an H200, in every dtype, NCHW
/// and NHWC, strided, dilated, grouped, depthwise and with asymmetric pads:
///
///   conv, conv + bias [+ addend] [+ relu]   all of them
///   conv [+ addend] + relu without bias     NHWC alone, and not bf16 depthwise
///   other activations                       as the line above; under IEEE f32
///                                           clamp, sigmoid and tanh alone
///
/// so a missing bias is one of zeros.
class CudnnConvolution : public LibraryBackend {
public:
  /// Two of them make the candidates: one for a convolution alone, which the
  /// label `aten` has as well, one that fuses.
  explicit CudnnConvolution(bool fusesEpilogue) : fuses_(fusesEpilogue) {}

  llvm::StringRef name() const override { return "cudnn_conv"; }
  llvm::StringRef version() const override { return "1"; }
  bool isFor(mlir::Operation *anchor) const override {
    return anchor && graph::isConvolution(anchor);
  }
  bool fusesEpilogue() const override { return fuses_; }
  bool isExpandable() const override { return true; }
  BackendLabel label() const override {
    return fuses_ ? BackendLabel::Cudnn : BackendLabel::Aten;
  }
  std::optional<std::string>
  reject(kernel::FusionOp fusion, const DeviceProfile &profile) const override;
  std::vector<Implementation>
  enumerate(kernel::FusionOp fusion,
            const DeviceProfile &profile) const override;
  mlir::LogicalResult lower(kernel::FusionOp fusion,
                            plan::PlanBuilder &plan) const override;

private:
  const bool fuses_;
};

} // namespace minic::cuda

#endif // MINIC_COMPILER_TARGET_CUDA_CUDNN_CUDNNCONVOLUTION_H
