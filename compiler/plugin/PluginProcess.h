// SPDX-License-Identifier: Apache-2.0
//
// PluginProcess: plug-ins that are open in processes of their own, so that none
// of them ends a compilation.

#ifndef MINIC_COMPILER_PLUGIN_PLUGINPROCESS_H
#define MINIC_COMPILER_PLUGIN_PLUGINPROCESS_H

#include "compiler/target/Plugin.h"

#include "llvm/ADT/ArrayRef.h"

#include <memory>
#include <string>
#include <vector>

namespace minic {

using Plugins = std::vector<std::unique_ptr<Plugin>>;

/// Opens each of `files`. `minic`: the program whose command `plugin-host` is
/// PluginHost. The error is one line: a file that is not there, or no plug-in,
/// or of another version; two of one name.
///
/// A plug-in that crashes or does not answer in time is started again for the
/// next question. If that was while it listed schedules, it is asked for no
/// others.
llvm::Expected<Plugins> openPlugins(llvm::ArrayRef<std::string> files,
                                    const std::string &minic);

} // namespace minic

#endif // MINIC_COMPILER_PLUGIN_PLUGINPROCESS_H
