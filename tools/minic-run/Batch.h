// SPDX-License-Identifier: Apache-2.0
//
// Many runs in one process, which opens the device and its libraries once.

#ifndef MINIC_TOOLS_MINIC_RUN_BATCH_H
#define MINIC_TOOLS_MINIC_RUN_BATCH_H

#include "tools/minic-run/Run.h"

namespace minic::tools {

/// A run of options.artifact for each line of the file `path`, "-" for the
/// standard input: what `options` say, and what the line says in their place.
/// Behind each run's lines stands "run NUMBER: CODE", with the error where it
/// has one, and a run that fails does not stop the others. Returns the first
/// exit code that is not 0.
int runBatch(const RunOptions &options, const std::string &path);

} // namespace minic::tools

#endif // MINIC_TOOLS_MINIC_RUN_BATCH_H
