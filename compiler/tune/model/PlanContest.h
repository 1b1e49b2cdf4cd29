// SPDX-License-Identifier: Apache-2.0
//
// PlanContest: plans of one model, each in one or more ways of running it,
// timed side by side in the same rounds: back to back, and on a GPU also single
// calls that are waited for, as a service makes them.

#ifndef MINIC_COMPILER_TUNE_MODEL_PLANCONTEST_H
#define MINIC_COMPILER_TUNE_MODEL_PLANCONTEST_H

#include "compiler/tune/model/ShipRule.h"
#include "compiler/tune/process/Clock.h"
#include "compiler/tune/process/Worker.h"
#include "compiler/tune/search/NoiseMeter.h"
#include "compiler/tune/search/Rounds.h"

namespace minic::tune {

/// What a worker that did not answer means for a check of `plan`.
absl::Status failureOf(const WorkerAnswer &answer, const std::string &plan);

/// One thread at a time. The worker has the plans loaded.
class PlanContest {
public:
  struct Options {
    bool onGpu = false;
    double roundUs = 2000; // of each contestant in a round
    double timeoutSeconds = 30;
    double retakeUs = 12000; // as in TimeRequest; on a CPU
    RoundsOptions rounds;
  };
  PlanContest(Worker &worker, const Clock &clock, Options options)
      : worker(worker), clock(clock), options(std::move(options)) {}

  /// Adds a loaded plan in one way of running it; its index. On a GPU
  /// RunMode::device has no single calls, and is compared with its like alone.
  /// Unimplemented says that no graph could be captured, or do what `changes`
  /// says, and why.
  /// `runUs` and `changes` as in TimeRequest.
  absl::StatusOr<int>
  enter(const std::string &plan, runtime::RunMode mode, double runUs = 0,
        runtime::ChangedPointers changes = runtime::ChangedPointers::none);
  /// Times of two entries, without ratios, by the few runs that each was
  /// entered with. On a CPU of single calls there are none.
  Figures probed(int first, int second) const;
  /// By the same runs, how many rounds fit into the time if, for each entry in
  /// `alike`, another one that takes as long entered. On a GPU.
  double expectedRounds(absl::Span<const int> alike) const;
  /// Times all that entered, until every two of them are settled.
  absl::Status run();
  /// After run(). It does not know whose teams differ.
  Figures figures(int first, int second) const;
  const ClockRange &smClock() const { return clocks; }
  /// After run(), on a CPU: whether time ended before it was decided, and how
  /// noisy the machine was.
  bool isUndecided() const { return rounds.isUndecided; }
  Noise noise() const { return meter.noise(); }
  const std::string &plan(int entry) const { return entries[entry].plan; }
  runtime::RunMode mode(int entry) const { return entries[entry].mode; }

private:
  struct Entry {
    std::string plan;
    runtime::RunMode mode;
    double runUs = 0;
    runtime::ChangedPointers changes = runtime::ChangedPointers::none;
    double probedUs = 0, probedCallUs = 0;
  };
  absl::StatusOr<runtime::Reply> ask(const runtime::Request &request,
                                     const std::string &what);
  /// Microseconds of a run, about.
  absl::StatusOr<double> probe(const Entry &entry, runtime::RunMode mode);
  /// An entry by one of its figures.
  struct Contestant {
    int entry;
    bool isCall;
  };
  /// Its index; -1: it has no such figure.
  int findContestant(int entry, bool isCall) const;
  /// Whether entries are compared with each other.
  bool areAlike(const Contestant &first, const Contestant &second) const;
  /// What all figures of an entry take in a round.
  double costUs(const Entry &entry) const;
  absl::StatusOr<RoundTimes> time(absl::Span<const int> order);
  /// Its index in the rounds' pairs; -1: none.
  int findPair(int first, int second) const;
  Comparison compare(int first, int second, bool isCall) const;

  Worker &worker;
  const Clock &clock;
  Options options;
  std::vector<Entry> entries;
  std::vector<Contestant> contestants; // of the rounds
  RoundsResult rounds;
  ClockRange clocks;
  NoiseMeter meter;
};

} // namespace minic::tune

#endif // MINIC_COMPILER_TUNE_MODEL_PLANCONTEST_H
