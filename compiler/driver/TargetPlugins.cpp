// SPDX-License-Identifier: Apache-2.0
//
// One process for each plug-in, whatever the number of targets.

#include "compiler/driver/TargetPlugins.h"

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
  for (const VariantTarget &variant : targets) {
    for (const std::unique_ptr<Plugin> &plugin : *plugins) {
      variant.target->addPlugin(*plugin);
    }
  }
  return std::move(*plugins);
}

} // namespace minic
