// SPDX-License-Identifier: Apache-2.0
//
// oneDNN's convolution, bare or with post-ops.

#ifndef MINIC_COMPILER_TARGET_CPU_ONEDNN_ONEDNNCONVOLUTION_H
#define MINIC_COMPILER_TARGET_CPU_ONEDNN_ONEDNNCONVOLUTION_H

#include "compiler/target/KernelFamily.h"

namespace minic::cpu {

/// f32 and bf16 convolutions. A constant filter is packed once at load; images
/// are in the layout that the op names. `onednn_conv` takes a conv2d alone
/// (with its bias); `onednn_conv_fused` also a chain of post-ops, see
/// PostOps.h.
class OnednnConvolution : public LibraryBackend {
public:
  explicit OnednnConvolution(bool fusesEpilogue) : fuses_(fusesEpilogue) {}

  llvm::StringRef name() const override {
    return fuses_ ? "onednn_conv_fused" : "onednn_conv";
  }
  llvm::StringRef version() const override { return "1"; }
  bool fusesEpilogue() const override { return fuses_; }
  bool isFor(mlir::Operation *anchor) const override {
    return anchor && graph::isConvolution(anchor);
  }
  std::optional<std::string>
  reject(kernel::FusionOp fusion, const DeviceProfile &profile) const override;
  std::vector<Implementation>
  enumerate(kernel::FusionOp fusion,
            const DeviceProfile &profile) const override;
  std::string opsThatLoseNan(kernel::FusionOp fusion) const override;
  mlir::LogicalResult lower(kernel::FusionOp fusion,
                            plan::PlanBuilder &plan) const override;

private:
  const bool fuses_;
};

} // namespace minic::cpu

#endif // MINIC_COMPILER_TARGET_CPU_ONEDNN_ONEDNNCONVOLUTION_H
