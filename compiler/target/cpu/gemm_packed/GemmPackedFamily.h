// SPDX-License-Identifier: Apache-2.0
//
// The family gemm_packed: one contraction with a pointwise epilogue, its rhs
// packed in panels.

#ifndef MINIC_COMPILER_TARGET_CPU_GEMM_PACKED_GEMMPACKEDFAMILY_H
#define MINIC_COMPILER_TARGET_CPU_GEMM_PACKED_GEMMPACKEDFAMILY_H

#include "compiler/target/KernelFamily.h"

namespace minic::cpu {

/// Takes linear and matmul of f32, bf16 and f16, of any M, N, K and batch, with
/// any pointwise ops after it. A constant rhs is packed at compile time;
/// another is packed by a kernel of its own before this one.
class GemmPackedFamily : public KernelFamily {
public:
  llvm::StringRef name() const override { return "gemm_packed"; }
  llvm::StringRef version() const override { return "3"; }
  bool isFor(mlir::Operation *anchor) const override {
    return anchor && graph::isContraction(anchor);
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

} // namespace minic::cpu

#endif // MINIC_COMPILER_TARGET_CPU_GEMM_PACKED_GEMMPACKEDFAMILY_H
