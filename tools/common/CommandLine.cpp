// SPDX-License-Identifier: Apache-2.0
//
// CLI11 reports by exceptions; they end here.

#include "tools/common/CommandLine.h"

#include <CLI/CLI.hpp>

#include <cstdio>

namespace minic::tools {

int fail(const char *tool, ExitCode code, const std::string &message) {
  size_t saysSo = message.find("internal error");
  const char *kind = code == ExitCode::Interrupted || saysSo == 0 ? ""
                     : code == ExitCode::Internal && saysSo == std::string::npos
                         ? "internal error: "
                         : "error: ";
  // Names in messages come from files: one line, and nothing that a terminal
  // obeys.
  std::string line = message;
  for (char &c : line) {
    bool isControl = static_cast<unsigned char>(c) < ' ' || c == 0x7f;
    c = c == '\n' || c == '\r' || c == '\t' ? ' ' : isControl ? '?' : c;
  }
  std::fprintf(stderr, "%s: %s%s\n", tool, kind, line.c_str());
  return static_cast<int>(code);
}

int fail(const char *tool, const absl::Status &status) {
  return fail(tool, runtime::exitCodeOf(status), std::string(status.message()));
}

std::optional<int> parseCommandLine(const char *tool, CLI::App &app, int argc,
                                    char **argv) {
  try {
    app.parse(argc, argv);
    return std::nullopt;
  } catch (const CLI::CallForHelp &) {
    std::fputs(app.help().c_str(), stdout);
    return static_cast<int>(ExitCode::Success);
  } catch (const CLI::CallForVersion &version) {
    std::printf("%s\n", version.what());
    return static_cast<int>(ExitCode::Success);
  } catch (const CLI::ParseError &error) {
    return fail(tool, ExitCode::Usage,
                std::string(error.what()) + " (see --help)");
  }
}

} // namespace minic::tools
