// SPDX-License-Identifier: Apache-2.0
//
// oneDNN's softmax, layer normalization and reductions.

#ifndef MINIC_COMPILER_TARGET_CPU_ONEDNN_ONEDNNROWS_H
#define MINIC_COMPILER_TARGET_CPU_ONEDNN_ONEDNNROWS_H

#include "compiler/target/KernelFamily.h"

namespace minic::cpu {

/// A softmax, layer_norm or reduce along contiguous rows by itself: of f32, but
/// for softmax and a scaled norm also of bf16. Kernels of minic's own, which
/// take neighbours along, are what it is compared with. log_softmax is not
/// asked for: of 4097x5 in f32, 5632 elements were beyond their bound.
class OnednnRows : public LibraryBackend {
public:
  llvm::StringRef name() const override { return "onednn_rows"; }
  llvm::StringRef version() const override { return "1"; }
  bool fusesEpilogue() const override { return false; }
  bool isFor(mlir::Operation *anchor) const override;
  std::optional<std::string>
  reject(kernel::FusionOp fusion, const DeviceProfile &profile) const override;
  std::vector<Implementation>
  enumerate(kernel::FusionOp fusion,
            const DeviceProfile &profile) const override;
  /// Its maximum, minimum and exponential take the other operand for a NaN.
  std::string opsThatLoseNan(kernel::FusionOp fusion) const override;
  mlir::LogicalResult lower(kernel::FusionOp fusion,
                            plan::PlanBuilder &plan) const override;
};

} // namespace minic::cpu

#endif // MINIC_COMPILER_TARGET_CPU_ONEDNN_ONEDNNROWS_H
