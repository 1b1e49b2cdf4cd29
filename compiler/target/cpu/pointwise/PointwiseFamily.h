// SPDX-License-Identifier: Apache-2.0
//
// The kernel family `pointwise`: bodies without an anchor.

#ifndef MINIC_COMPILER_TARGET_CPU_POINTWISE_POINTWISEFAMILY_H
#define MINIC_COMPILER_TARGET_CPU_POINTWISE_POINTWISEFAMILY_H

#include "compiler/target/KernelFamily.h"

namespace minic::cpu {

/// One launch over tiles of the iteration space, 16 lanes at a time along the
/// innermost loop. Takes every dtype, broadcasting, several results of one
/// shape, transposes, slices and reshapes that are strides, and gathers of rows
/// (see PointwiseLoops). Operands are dense.
///
/// Schedule: `{tile = N : i64}`, elements of the space per tile, about.
/// Name: "pointwise tile=4096".
class PointwiseFamily : public KernelFamily {
public:
  llvm::StringRef name() const override { return "pointwise"; }
  llvm::StringRef version() const override { return "4"; }
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

#endif // MINIC_COMPILER_TARGET_CPU_POINTWISE_POINTWISEFAMILY_H
