// SPDX-License-Identifier: Apache-2.0
//
// TargetPlugins: the plug-ins that the options name, as families of targets.

#ifndef MINIC_COMPILER_DRIVER_TARGETPLUGINS_H
#define MINIC_COMPILER_DRIVER_TARGETPLUGINS_H

#include "compiler/pipeline/ResolveTarget.h"
#include "compiler/plugin/PluginProcess.h"

namespace minic {

/// Opens options.plugins and gives them to each of `targets`; they outlive
/// these. `minic`: this program. A diagnostic where one cannot be used.
mlir::FailureOr<Plugins> addPlugins(llvm::ArrayRef<VariantTarget> targets,
                                    const CompileOptions &options,
                                    const std::string &minic,
                                    mlir::MLIRContext &context);

} // namespace minic

#endif // MINIC_COMPILER_DRIVER_TARGETPLUGINS_H
