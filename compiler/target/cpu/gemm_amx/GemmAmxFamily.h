// SPDX-License-Identifier: Apache-2.0
//
// The family gemm_amx: one contraction of bf16 or i8 with a pointwise epilogue,
// by the tiles of AMX.

#ifndef MINIC_COMPILER_TARGET_CPU_GEMM_AMX_GEMMAMXFAMILY_H
#define MINIC_COMPILER_TARGET_CPU_GEMM_AMX_GEMMAMXFAMILY_H

#include "compiler/target/KernelFamily.h"
#include "compiler/target/cpu/PackedRhs.h"

namespace minic::cpu {

/// Takes linear and matmul of bf16 or i8, of any M, N, K above 0 and batch, and
/// conv2d of NHWC images with one group, with any pointwise ops after it, for
/// CPUs with AMX. A constant rhs is packed at compile time; another is
/// packed by a kernel of its own before this one.
class GemmAmxFamily : public KernelFamily {
public:
  llvm::StringRef name() const override { return "gemm_amx"; }
  llvm::StringRef version() const override { return "3"; }
  bool isFor(mlir::Operation *anchor) const override {
    return isPackedProduct(anchor);
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

#endif // MINIC_COMPILER_TARGET_CPU_GEMM_AMX_GEMMAMXFAMILY_H
