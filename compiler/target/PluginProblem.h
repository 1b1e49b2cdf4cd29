// SPDX-License-Identifier: Apache-2.0
//
// PluginProblem: a body as the JSON that plug-ins read (docs/plugins.md).

#ifndef MINIC_COMPILER_TARGET_PLUGINPROBLEM_H
#define MINIC_COMPILER_TARGET_PLUGINPROBLEM_H

#include "compiler/target/DeviceProfile.h"
#include "dialects/kernel/Kernel.h"

#include <string>

namespace minic {

/// One line. It has what decides about code, nothing of where the body came
/// from: equal bodies give equal texts, in the compiler and in its builders.
std::string describePluginProblem(kernel::FusionOp fusion,
                                  const DeviceProfile &profile);

} // namespace minic

#endif // MINIC_COMPILER_TARGET_PLUGINPROBLEM_H
