// SPDX-License-Identifier: Apache-2.0
//
// ExitCode: what the exit codes of all tools mean; docs/exit-codes.md is the
// table for people.

#ifndef MINIC_RUNTIME_BASE_EXITCODE_H
#define MINIC_RUNTIME_BASE_EXITCODE_H

#include "absl/status/status.h"

namespace minic::runtime {

enum class ExitCode : int {
  Success = 0,
  Mismatch = 1,    // it ran, and a check failed
  Usage = 2,       // the command line
  BadInput = 3,    // a file, a shape, a dtype
  Unsupported = 4, // this machine or build cannot do it
  Internal = 5,    // a bug of minic
  Interrupted = 130
};

/// The exit code that `status` stands for.
ExitCode exitCodeOf(const absl::Status &status);

} // namespace minic::runtime

#endif // MINIC_RUNTIME_BASE_EXITCODE_H
