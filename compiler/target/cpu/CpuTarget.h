// SPDX-License-Identifier: Apache-2.0
//
// CpuTarget: x86-64 CPUs.

#ifndef MINIC_COMPILER_TARGET_CPU_CPUTARGET_H
#define MINIC_COMPILER_TARGET_CPU_CPUTARGET_H

#include "compiler/target/Target.h"

namespace minic::cpu {

/// The kernels of a module become one shared object, `plan.binary
/// @cpu_kernels` of kind elf_shared_object.
class CpuTarget : public Target {
public:
  explicit CpuTarget(DeviceProfile profile);

  const DeviceProfile &profile() const override { return profile_; }
  llvm::ArrayRef<const KernelFamily *> families() const override {
    return families_;
  }
  llvm::ArrayRef<const LibraryBackend *> libraries() const override {
    return libraries_;
  }
  mlir::LogicalResult codegen(mlir::ModuleOp module) const override;
  mlir::LogicalResult lowerRelayout(kernel::RelayoutOp op,
                                    plan::PlanBuilder &plan) const override;

private:
  mlir::LogicalResult emit(plan::KernelOp kernel, mlir::ModuleOp device) const;

  DeviceProfile profile_;
  llvm::SmallVector<const KernelFamily *> families_;
  llvm::SmallVector<const LibraryBackend *> libraries_;
};

} // namespace minic::cpu

#endif // MINIC_COMPILER_TARGET_CPU_CPUTARGET_H
