// SPDX-License-Identifier: Apache-2.0
//
// A plug-in's kernels on GPUs: PTX or cubins, each a binary of its own.

#ifndef MINIC_COMPILER_TARGET_CUDA_PLUGIN_CUDAPLUGINFAMILY_H
#define MINIC_COMPILER_TARGET_CUDA_PLUGIN_CUDAPLUGINFAMILY_H

#include "compiler/target/PluginFamily.h"

namespace minic::cuda {

/// See `minic/plugin.h` for what an entry is.
class CudaPluginFamily : public PluginFamily {
public:
  CudaPluginFamily(Plugin &plugin, const DeviceProfile &profile)
      : PluginFamily(plugin), profile(profile) {}
  mlir::LogicalResult lower(kernel::FusionOp fusion,
                            plan::PlanBuilder &plan) const override;
  mlir::LogicalResult emit(plan::KernelOp kernel, const DeviceProfile &profile,
                           mlir::ModuleOp device) const override;

private:
  const DeviceProfile &profile;
};

} // namespace minic::cuda

#endif // MINIC_COMPILER_TARGET_CUDA_PLUGIN_CUDAPLUGINFAMILY_H
