// SPDX-License-Identifier: Apache-2.0
//
// minic build-worker: builds candidates for the tuner. Not for people: it
// speaks compiler/tune/process/BuildProtocol.h over stdin and stdout.

#include "tools/minic/Commands.h"

#include "compiler/driver/Compiler.h"
#include "compiler/tune/bridge/BuildWorker.h"
#include "compiler/tune/bridge/ProfileJson.h"

#include <csignal>
#include <cstdio>

#include <unistd.h>

namespace minic {

int buildWorkerCommand(int argc, char **argv) {
  std::optional<DeviceProfile> gpu;
  if (argc > 1) {
    gpu = tune::decodeProfile(argv[1]);
  }
  if (argc > 2 || (argc > 1 && !gpu)) {
    return tools::fail(toolName, ExitCode::Usage,
                       "build-worker takes no argument but a GPU's profile");
  }
  // The parent decides what an interrupt means.
  std::signal(SIGINT, SIG_IGN);
  // Whatever a library prints must not get between the replies.
  std::FILE *output = ::fdopen(::dup(STDOUT_FILENO), "w");
  if (!output || ::dup2(STDERR_FILENO, STDOUT_FILENO) < 0) {
    return tools::fail(toolName, ExitCode::Internal,
                       "build-worker: cannot use stdout");
  }
  std::unique_ptr<mlir::MLIRContext> context = createCompilerContext();
  return tune::serveBuilds(*context, stdin, output, gpu ? &*gpu : nullptr);
}

} // namespace minic
