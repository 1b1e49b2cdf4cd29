// SPDX-License-Identifier: Apache-2.0
//
// A plug-in's kernels on CPUs: LLVM IR, linked beside minic's own.

#ifndef MINIC_COMPILER_TARGET_CPU_PLUGIN_CPUPLUGINFAMILY_H
#define MINIC_COMPILER_TARGET_CPU_PLUGIN_CPUPLUGINFAMILY_H

#include "compiler/target/PluginFamily.h"

namespace minic::cpu {

/// See `minic/plugin.h` for what an entry is.
class CpuPluginFamily : public PluginFamily {
public:
  CpuPluginFamily(Plugin &plugin, const DeviceProfile &profile)
      : PluginFamily(plugin), profile(profile) {}
  mlir::LogicalResult lower(kernel::FusionOp fusion,
                            plan::PlanBuilder &plan) const override;
  mlir::LogicalResult emit(plan::KernelOp kernel, const DeviceProfile &profile,
                           mlir::ModuleOp device) const override;

private:
  const DeviceProfile &profile;
};

} // namespace minic::cpu

#endif // MINIC_COMPILER_TARGET_CPU_PLUGIN_CPUPLUGINFAMILY_H
