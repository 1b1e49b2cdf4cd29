// SPDX-License-Identifier: Apache-2.0
//
// minic build-worker: builds candidates for the tuner. minic plugin-host: has a
// plug-in open. Not for people: they speak compiler/tune/process/
// BuildProtocol.h and compiler/plugin/PluginHost.h over stdin and stdout.

#include "tools/minic/Commands.h"

#include "compiler/driver/Compiler.h"
#include "compiler/plugin/PluginHost.h"
#include "compiler/plugin/PluginProcess.h"
#include "compiler/tune/bridge/BuildWorker.h"
#include "compiler/tune/bridge/ProfileJson.h"
#include "compiler/tune/process/Machine.h"

#include <csignal>
#include <cstdio>

#include <unistd.h>

namespace minic {

/// stdout for replies alone: whatever a library prints must not get between
/// them. Null where that fails.
static std::FILE *takeStdout() {
  // The parent decides what an interrupt means.
  std::signal(SIGINT, SIG_IGN);
  std::FILE *output = ::fdopen(::dup(STDOUT_FILENO), "w");
  return output && ::dup2(STDERR_FILENO, STDOUT_FILENO) >= 0 ? output : nullptr;
}

int buildWorkerCommand(int argc, char **argv) {
  std::optional<DeviceProfile> gpu;
  std::vector<std::string> files;
  bool isValid = true;
  for (int i = 1; i < argc; ++i) {
    llvm::StringRef argument = argv[i];
    if (argument.consume_front("--plugin=")) {
      files.push_back(argument.str());
    } else {
      isValid &= !gpu;
      gpu = tune::decodeProfile(argv[i]);
      isValid &= gpu.has_value();
    }
  }
  if (!isValid) {
    return tools::fail(toolName, ExitCode::Usage,
                       "build-worker takes no argument but --plugin=FILE and a "
                       "GPU's profile");
  }
  std::FILE *output = takeStdout();
  if (!output) {
    return tools::fail(toolName, ExitCode::Internal,
                       "build-worker: cannot use stdout");
  }
  llvm::Expected<Plugins> plugins =
      openPlugins(files, tune::ToolPaths::ofThisProgram().minic);
  if (!plugins) {
    return tools::fail(toolName, ExitCode::BadInput,
                       llvm::toString(plugins.takeError()));
  }
  std::unique_ptr<mlir::MLIRContext> context = createCompilerContext();
  return tune::serveBuilds(*context, stdin, output,
                           {gpu ? &*gpu : nullptr, *plugins});
}

int pluginHostCommand(int argc, char **argv) {
  if (argc != 2) {
    return tools::fail(toolName, ExitCode::Usage,
                       "plugin-host takes the file of a plug-in");
  }
  std::FILE *output = takeStdout();
  if (!output) {
    return tools::fail(toolName, ExitCode::Internal,
                       "plugin-host: cannot use stdout");
  }
  return servePlugin(argv[1], stdin, output);
}

} // namespace minic
