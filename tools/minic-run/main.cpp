// SPDX-License-Identifier: Apache-2.0
//
// minic-run: runs a compiled model on arrays in files or on random data.

#include "tools/common/CommandLine.h"
#include "tools/minic-run/Batch.h"
#include "tools/minic-run/RunFlags.h"

#include <CLI/CLI.hpp>

int main(int argc, char **argv) {
  minic::tools::RunOptions options;
  CLI::App app("Runs a compiled model (.minic), prints a summary of each "
               "output, and writes outputs as .npy.",
               "minic-run");
  app.footer(
      "Examples:\n"
      "  minic-run mlp.minic                       random inputs\n"
      "  minic-run mlp.minic --input=x.npy --output=y.npy\n"
      "  minic-run mlp.minic --input=x=a.npy --output=y=b.npy --check\n"
      "Exit codes: 0 right, 1 the check failed, 2 command line, 3 bad input,\n"
      "4 not supported here, 5 internal error.");
  app.add_option("model", options.artifact, "Compiled model (.minic)")
      ->required()
      ->type_name("FILE");
  minic::tools::RunFlags flags(app, options);
  std::string batch;
  app.add_option("--batch", batch,
                 "Do a run for each line of FILE, which has options as on the "
                 "command line, all in this process; '-' is the standard input")
      ->type_name("FILE");
  if (std::optional<int> code =
          minic::tools::parseCommandLine("minic-run", app, argc, argv)) {
    return *code;
  }
  if (absl::Status status = flags.finish(options); !status.ok()) {
    return minic::tools::fail("minic-run", minic::tools::ExitCode::Usage,
                              std::string(status.message()));
  }
  return batch.empty() ? minic::tools::run(options)
                       : minic::tools::runBatch(options, batch);
}
