// SPDX-License-Identifier: Apache-2.0
//
// The kernel family `user` of GPUs: kernels of the user's own, in CUDA C++, PTX
// or cubins.

#ifndef MINIC_COMPILER_TARGET_CUDA_USER_USERFAMILY_H
#define MINIC_COMPILER_TARGET_CUDA_USER_USERFAMILY_H

#include "compiler/target/KernelFamily.h"

namespace minic::cuda {

/// Bodies that are one graph.kernel of language `cuda`, `ptx` or `cubin`. Its
/// entry is a __global__ function of pointers to operands, then results, then
/// scalars of 64 bits. Each is a binary of its own.
///
/// Schedule: `{config = {BLOCK = 64 : i64}, source = "hash"}`.
/// Name: "@gelu BLOCK=64".
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

} // namespace minic::cuda

#endif // MINIC_COMPILER_TARGET_CUDA_USER_USERFAMILY_H
