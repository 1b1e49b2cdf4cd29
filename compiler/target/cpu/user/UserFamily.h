// SPDX-License-Identifier: Apache-2.0
//
// The kernel family `user` of CPUs: kernels of the user's own, in C or LLVM IR.

#ifndef MINIC_COMPILER_TARGET_CPU_USER_USERFAMILY_H
#define MINIC_COMPILER_TARGET_CPU_USER_USERFAMILY_H

#include "compiler/target/KernelFamily.h"

namespace minic::cpu {

/// Bodies that are one graph.kernel of language `c` or `llvm`. Its entry is
/// void(operands..., results..., int64_t scalars..., int64_t begin, int64_t
/// end): it computes tiles [begin, end) of its grid, on any thread.
///
/// Schedule: `{config = {TILE = 64 : i64}, source = "hash"}`.
/// Name: "@scale TILE=64".
class UserFamily : public KernelFamily {
public:
  llvm::StringRef name() const override;
  llvm::StringRef version() const override;
  bool takesUserKernels() const override { return true; }
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

#endif // MINIC_COMPILER_TARGET_CPU_USER_USERFAMILY_H
