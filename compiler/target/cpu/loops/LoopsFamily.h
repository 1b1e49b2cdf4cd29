// SPDX-License-Identifier: Apache-2.0
//
// The kernel family `loops`: what no other family takes.

#ifndef MINIC_COMPILER_TARGET_CPU_LOOPS_LOOPSFAMILY_H
#define MINIC_COMPILER_TARGET_CPU_LOOPS_LOOPSFAMILY_H

#include "compiler/target/KernelFamily.h"

namespace minic::cpu {

/// One launch over the result elements, each computed on its own by scalar
/// loops that follow from the ops' interfaces (see MapLoops): right for every
/// op, and slow. Operands are dense. Indices out of range set the status word.
///
/// Schedule: `{tile = N : i64}`, result elements per tile.
/// Name: "loops tile=64".
class LoopsFamily : public KernelFamily {
public:
  llvm::StringRef name() const override { return "loops"; }
  llvm::StringRef version() const override { return "3"; }
  bool isLastResort() const override { return true; }
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

#endif // MINIC_COMPILER_TARGET_CPU_LOOPS_LOOPSFAMILY_H
