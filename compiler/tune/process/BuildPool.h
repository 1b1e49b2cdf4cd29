// SPDX-License-Identifier: Apache-2.0
//
// BuildPool: turns problems and choices into artifacts; a set of processes
// (ProcessBuildPool), or a fake in tests.

#ifndef MINIC_COMPILER_TUNE_PROCESS_BUILDPOOL_H
#define MINIC_COMPILER_TUNE_PROCESS_BUILDPOOL_H

#include "absl/status/status.h"
#include "absl/types/span.h"

#include <cstddef>
#include <cstdint>
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
  int64_t spillBytes = 0; // GPU: registers that did not fit, per thread
};

/// One thread at a time: builders are children of the thread that pumps.
class BuildPool {
public:
  virtual ~BuildPool() = default;

  /// Told how a job ended, by the id it was added with.
  using Done = std::function<void(size_t id, const BuildOutcome &)>;

  /// Lets a job wait behind those added before.
  virtual void add(size_t id, const BuildJob &job) = 0;
  /// Forgets the jobs that wait.
  virtual void dropWaiting() = 0;
  /// Jobs that wait or are being built.
  virtual size_t pending() const = 0;
  /// Starts as many jobs as there are free builders, waits until one has ended
  /// or `seconds` have passed, and calls `done` for those that have. Building
  /// goes on between calls. A job that crashes or never ends is not ok; an
  /// error status means that nothing can be built at all.
  virtual absl::Status pump(double seconds, const Done &done) = 0;

  /// All of `jobs`, whose ids are their indices. Once `stop` says true no job
  /// is started, those in flight are awaited.
  absl::Status build(absl::Span<const BuildJob> jobs, const Done &done,
                     const std::function<bool()> &stop) {
    for (size_t id = 0; id < jobs.size(); ++id) {
      add(id, jobs[id]);
    }
    while (pending() > 0) {
      if (stop()) {
        dropWaiting();
      }
      if (absl::Status status = pump(0.1, done); !status.ok()) {
        return status;
      }
    }
    return absl::OkStatus();
  }
};

} // namespace minic::tune

#endif // MINIC_COMPILER_TUNE_PROCESS_BUILDPOOL_H
