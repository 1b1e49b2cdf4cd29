// SPDX-License-Identifier: Apache-2.0
//
// ExitCode: what the exit codes of all tools mean; docs/exit-codes.md is the
// table for people.

#ifndef MINIC_TOOLS_COMMON_EXITCODE_H
#define MINIC_TOOLS_COMMON_EXITCODE_H

#include "absl/status/status.h"

namespace minic::tools {

enum ExitCode : int {
  exitSuccess = 0,
  exitMismatch = 1,    // it ran, and what was checked is not so
  exitUsage = 2,       // the command line
  exitBadInput = 3,    // a file, a shape, a dtype
  exitUnsupported = 4, // right, but not on this machine or in this build
  exitInternal = 5     // a bug of minic
};

/// Whose fault a status is.
ExitCode exitCodeOf(const absl::Status &status);

/// Prints "TOOL: error: MESSAGE" as one line on stderr; returns the exit code.
int fail(const char *tool, const absl::Status &status);

} // namespace minic::tools

#endif // MINIC_TOOLS_COMMON_EXITCODE_H
