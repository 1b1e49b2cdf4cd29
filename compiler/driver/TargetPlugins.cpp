// SPDX-License-Identifier: Apache-2.0
//
// One process for each plug-in, whatever the number of targets.

#include "compiler/driver/TargetPlugins.h"

#include "compiler/options/BackendNames.h"

using namespace mlir;

namespace minic {

FailureOr<Plugins> addPlugins(ArrayRef<VariantTarget> targets,
                              const CompileOptions &options,
                              const std::string &minic, MLIRContext &context) {
  llvm::Expected<Plugins> plugins = openPlugins(options.plugins, minic);
  if (!plugins) {
    return emitError(UnknownLoc::get(&context))
           << llvm::toString(plugins.takeError());
  }
  std::vector<std::string> names;
  for (const std::unique_ptr<Plugin> &plugin : *plugins) {
    names.push_back(plugin->name());
  }
  if (std::string error = findUnknownBackend(options, names); !error.empty()) {
    return emitError(UnknownLoc::get(&context)) << error;
  }
  for (const VariantTarget &variant : targets) {
    for (const std::unique_ptr<Plugin> &plugin : *plugins) {
      variant.target->addPlugin(*plugin);
    }
  }
  return std::move(*plugins);
}

} // namespace minic
