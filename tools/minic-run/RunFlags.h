// SPDX-License-Identifier: Apache-2.0
//
// RunFlags: the options of one run, on the command line or in a line of a
// batch.

#ifndef MINIC_TOOLS_MINIC_RUN_RUNFLAGS_H
#define MINIC_TOOLS_MINIC_RUN_RUNFLAGS_H

#include "tools/minic-run/Run.h"

#include "absl/status/status.h"

#include <CLI/CLI.hpp>

namespace minic::tools {

class RunFlags {
public:
  /// Adds them to `app`, which fills `options` and this object when it parses:
  /// both have to stay where they are until then.
  RunFlags(CLI::App &app, RunOptions &options);
  /// After parsing: what needs more than CLI11. A line for people where a flag
  /// is wrong.
  absl::Status finish(RunOptions &options) const;

private:
  std::vector<std::string> dims;
  std::string dtype;
};

} // namespace minic::tools

#endif // MINIC_TOOLS_MINIC_RUN_RUNFLAGS_H
