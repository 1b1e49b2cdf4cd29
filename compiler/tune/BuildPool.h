// SPDX-License-Identifier: Apache-2.0
//
// BuildPool: whoever turns a problem and a choice into an artifact; a set of
// processes (ProcessBuildPool), or a fake in tests.

#ifndef MINIC_COMPILER_TUNE_BUILDPOOL_H
#define MINIC_COMPILER_TUNE_BUILDPOOL_H

#include "absl/status/status.h"
#include "absl/types/span.h"

#include <cstddef>
#include <functional>
#include <string>

namespace minic::tune {

struct BuildJob {
  std::string problemPath; // file that holds ProblemSpec::text
  std::string choice;      // CandidateSpec::choice
  std::string outputPath;  // of the artifact
};

struct BuildOutcome {
  bool ok = false;
  double buildMs = 0;
  std::string binaryHash; // equal hashes: artifacts that run alike
  std::string error;      // one line, where not ok
};

/// One thread at a time.
class BuildPool {
public:
  virtual ~BuildPool() = default;
  /// Builds `jobs`, starting them in order, several at a time. Calls `done`
  /// from this thread as each ends. Once `stop` says true no job is started,
  /// those in flight are awaited. A job that crashes or never ends is one that
  /// is not ok; an error status says that nothing can be built at all.
  virtual absl::Status
  build(absl::Span<const BuildJob> jobs,
        const std::function<void(size_t job, const BuildOutcome &)> &done,
        const std::function<bool()> &stop) = 0;
};

} // namespace minic::tune

#endif // MINIC_COMPILER_TUNE_BUILDPOOL_H
