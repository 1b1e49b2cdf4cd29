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

  mlir::LogicalResult lowerRelayout(kernel::RelayoutOp op,
                                    plan::PlanBuilder &plan) const override;

private:
  std::unique_ptr<KernelFamily>
  createPluginFamily(Plugin &plugin) const override;
  void prepareContext(mlir::MLIRContext &context) const override;
  mlir::LogicalResult emitRelayout(plan::KernelOp kernel,
                                   mlir::ModuleOp device) const override;
  void requireUsedFeatures(mlir::ModuleOp module,
                           mlir::ModuleOp device) const override;
  mlir::LogicalResult describe(mlir::ModuleOp device,
                               KernelCode &code) const override;
  mlir::LogicalResult assemble(mlir::ModuleOp device,
                               mlir::OpBuilder &builder) const override;
};

} // namespace minic::cpu

#endif // MINIC_COMPILER_TARGET_CPU_CPUTARGET_H
