// SPDX-License-Identifier: Apache-2.0
//
// What ProcessBuildPool and `minic build-worker` say to each other over the
// child's stdin and stdout: one JSON object a line, one reply per request.

#ifndef MINIC_COMPILER_TUNE_PROCESS_BUILDPROTOCOL_H
#define MINIC_COMPILER_TUNE_PROCESS_BUILDPROTOCOL_H

#include "compiler/tune/process/BuildPool.h"

#include "absl/status/statusor.h"

namespace minic::tune {

std::string encode(const BuildJob &job);
std::string encode(const BuildOutcome &outcome);

/// InvalidArgument for a line that is not one.
absl::StatusOr<BuildJob> decodeJob(const std::string &line);
absl::StatusOr<BuildOutcome> decodeOutcome(const std::string &line);

} // namespace minic::tune

#endif // MINIC_COMPILER_TUNE_PROCESS_BUILDPROTOCOL_H
