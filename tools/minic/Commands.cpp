// SPDX-License-Identifier: Apache-2.0
//
// What the subcommands share.

#include "tools/minic/Commands.h"

#include <CLI/CLI.hpp>

#include <cstdio>

namespace minic {

int fail(ExitCode code, const std::string &message) {
  std::fprintf(stderr, "minic: %s%s\n",
               code == ExitCode::Interrupted ? "" : "error: ", message.c_str());
  return static_cast<int>(code);
}

bool parseArguments(CLI::App &app, int argc, char **argv, int &exitCode) {
  // CLI11 reports by exceptions; they end here.
  try {
    app.parse(argc, argv);
    return true;
  } catch (const CLI::CallForHelp &) {
    std::fputs(app.help().c_str(), stdout);
    exitCode = 0;
  } catch (const CLI::CallForVersion &version) {
    std::printf("%s\n", version.what());
    exitCode = 0;
  } catch (const CLI::ParseError &error) {
    exitCode =
        fail(ExitCode::Usage, std::string(error.what()) + " (see --help)");
  }
  return false;
}

} // namespace minic
