// SPDX-License-Identifier: Apache-2.0
//
// CandidateBench: one problem's candidates on a worker: loads, verifies and
// times them, and survives what they do to the worker.

#ifndef MINIC_COMPILER_TUNE_SEARCH_CANDIDATEBENCH_H
#define MINIC_COMPILER_TUNE_SEARCH_CANDIDATEBENCH_H

#include "compiler/tune/database/Record.h"
#include "compiler/tune/process/Clock.h"
#include "compiler/tune/process/Worker.h"
#include "compiler/tune/search/NoiseMeter.h"
#include "compiler/tune/search/Rounds.h"

#include "absl/types/span.h"

#include <map>
#include <optional>
#include <set>

namespace minic::tune {

struct BenchOptions {
  uint64_t seed = 1;          // of inputs
  uint64_t constantsSeed = 2; // of external constants
  std::string expectedPath;   // writeExpectedOutputs' file for these seeds
  /// The same with runtime::withNan in the seed of inputs: a candidate that
  /// loses a NaN is wrong. Empty: it may lose one.
  std::string expectedOfNanPath;
  runtime::Residency residency = runtime::Residency::warm;
  /// Time limit for a load, a verification or a round, in addition to what its
  /// arithmetic may take.
  double timeoutSeconds = 10;
  bool onGpu = false;
  int device = 0; // index of the GPU
  /// As in TimeRequest. Long samples are taken once or twice, short ones more
  /// often.
  double retakeUs = 12000;
};

/// Why a candidate cannot win.
struct BenchFailure {
  RowStatus status;
  std::string reason;
};

/// Ids are the caller's. One thread at a time.
class CandidateBench {
public:
  CandidateBench(Worker &worker, const Clock &clock,
                 const BenchOptions &options)
      : worker(worker), clock(clock), options(options) {}
  ~CandidateBench();

  /// Where the artifact of `id` lies; loads nothing yet.
  void add(const std::string &id, const std::string &artifactPath);
  /// Frees what `id` takes in the worker.
  void unload(const std::string &id);

  /// Loads and verifies; fills the errors, scratch and determinism of `row`.
  /// `trusted`: a verified id to compare all elements with, or empty.
  std::optional<BenchFailure> verify(const std::string &id,
                                     const std::string &trusted, Row &row);

  /// Asks what the library offers for the call whose algorithm is open.
  /// `algorithms` stays empty if there is no such call. `id` is not loaded
  /// afterwards.
  std::optional<BenchFailure>
  algorithms(const std::string &id, int most, uint64_t scratchLimit,
             std::vector<runtime::AlgorithmReply> &algorithms);

  /// One round over `ids` in this order, after loading those that are not
  /// loaded. If the worker dies, no candidate is blamed here.
  std::optional<BenchFailure> time(absl::Span<const std::string> ids,
                                   absl::Span<const int64_t> iterations,
                                   RoundTimes &times);

  /// Finds which of `ids` kills the worker when timed alone.
  std::map<std::string, BenchFailure>
  findCulprits(absl::Span<const std::string> ids,
               absl::Span<const int64_t> iterations);

  /// Iterations that take about `targetUs` for a candidate of `us` a run.
  int64_t iterationsFor(double us, double targetUs) const;

  ClockRange smClock; // of all that was timed
  NoiseMeter noise;   // the same; on a CPU
  /// Seconds that loading and unloading took, in any member.
  double loadSeconds = 0;

  /// Not ok where the worker cannot be started at all.
  const absl::Status &fatal() const { return fatalStatus; }

private:
  /// Seconds that `runs` of a loaded function may take.
  double patience(const std::string &id, int64_t runs) const;
  std::optional<BenchFailure> load(const std::string &id,
                                   bool onlyListsAlgorithms = false);
  /// Runs `request` of a loaded id; fills the errors of `row`.
  std::optional<BenchFailure> run(const runtime::VerifyRequest &request,
                                  Row &row);
  /// Sends a request; nothing where it was answered.
  std::optional<BenchFailure> ask(const runtime::Request &request,
                                  const char *what, runtime::Reply &reply,
                                  double timeoutSeconds);

  Worker &worker;
  const Clock &clock;
  BenchOptions options;
  std::map<std::string, std::string> paths;
  std::map<std::string, runtime::LoadReply> loaded;
  absl::Status fatalStatus;
};

} // namespace minic::tune

#endif // MINIC_COMPILER_TUNE_SEARCH_CANDIDATEBENCH_H
