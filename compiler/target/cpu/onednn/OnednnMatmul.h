// SPDX-License-Identifier: Apache-2.0
//
// oneDNN's matmul, bare or with post-ops. Nothing of oneDNN is linked: a
// lowering writes a plan.call that the runtime executes.

#ifndef MINIC_COMPILER_TARGET_CPU_ONEDNN_ONEDNNMATMUL_H
#define MINIC_COMPILER_TARGET_CPU_ONEDNN_ONEDNNMATMUL_H

#include "compiler/target/KernelFamily.h"

namespace minic::cpu {

/// f32 and bf16 contractions. A constant rhs is packed once at load; operands
/// are dense otherwise. `onednn` takes a contraction alone (a linear with its
/// bias); `onednn_fused` also a chain of post-ops, see PostOps.h.
class OnednnMatmul : public LibraryBackend {
public:
  explicit OnednnMatmul(bool fusesEpilogue) : fuses_(fusesEpilogue) {}

  llvm::StringRef name() const override {
    return fuses_ ? "onednn_fused" : "onednn";
  }
  llvm::StringRef version() const override { return "2"; }
  bool fusesEpilogue() const override { return fuses_; }
  bool isFor(mlir::Operation *anchor) const override {
    return anchor && graph::isContraction(anchor);
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

#endif // MINIC_COMPILER_TARGET_CPU_ONEDNN_ONEDNNMATMUL_H
