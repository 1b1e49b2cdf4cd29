// SPDX-License-Identifier: Apache-2.0
//
// CommandLine: how every tool parses its arguments and reports what is wrong.

#ifndef MINIC_TOOLS_COMMON_COMMANDLINE_H
#define MINIC_TOOLS_COMMON_COMMANDLINE_H

#include "runtime/base/ExitCode.h"

#include <optional>
#include <string>

namespace CLI {
class App;
}

namespace minic::tools {

using runtime::ExitCode;

/// Prints "TOOL: error: MESSAGE" as one line on stderr ("internal error" where
/// the fault is minic's, neither after an interrupt); returns the exit code.
int fail(const char *tool, ExitCode code, const std::string &message);

/// The same with the code that stands for `status`.
int fail(const char *tool, const absl::Status &status);

/// Parses. Nothing to go on; otherwise what to exit with: 0 after --help or
/// --version, 2 after one line on what is wrong.
std::optional<int> parseCommandLine(const char *tool, CLI::App &app, int argc,
                                    char **argv);

} // namespace minic::tools

#endif // MINIC_TOOLS_COMMON_COMMANDLINE_H
