// SPDX-License-Identifier: Apache-2.0
//
// A line is parsed as a command line is.

#include "tools/minic-run/Batch.h"

#include "tools/common/CommandLine.h"
#include "tools/minic-run/RunFlags.h"

#include <cstdio>
#include <fstream>
#include <iostream>

namespace minic::tools {

/// One run; `kept` is what it loaded.
static int runLine(RunOptions options, const std::string &line,
                   std::shared_ptr<const void> &kept) {
  CLI::App app("", "minic-run");
  app.set_help_flag();
  RunFlags flags(app, options);
  try {
    app.parse(line, /*program_name_included=*/false);
  } catch (const CLI::ParseError &error) {
    return fail("minic-run", ExitCode::Usage, error.what());
  }
  if (absl::Status status = flags.finish(options); !status.ok()) {
    return fail("minic-run", ExitCode::Usage, std::string(status.message()));
  }
  return run(options, &kept);
}

int runBatch(const RunOptions &options, const std::string &path) {
  std::ifstream file;
  if (path != "-") {
    file.open(path);
    if (!file) {
      return fail("minic-run", ExitCode::BadInput, "cannot read " + path);
    }
  }
  std::istream &lines = path == "-" ? std::cin : file;
  // What a run loaded stays until the next one has loaded: the device's
  // context goes with the last program.
  std::shared_ptr<const void> kept;
  int first = 0, number = 0;
  for (std::string line; std::getline(lines, line); ++number) {
    int code = runLine(options, line, kept);
    first = first != 0 ? first : code;
    std::printf("run %d: %d\n", number, code);
    // A run may crash, and whoever reads wants to know which.
    std::fflush(stdout);
  }
  return first;
}

} // namespace minic::tools
