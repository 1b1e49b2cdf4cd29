// SPDX-License-Identifier: Apache-2.0
//
// TrialContest: times a plan with some choices changed beside the plan before,
// both run in the same way: on a GPU replayed from a captured graph where that
// is allowed, on a CPU back to back. What a GPU takes by itself is timed as
// well where runs are short.

#ifndef MINIC_COMPILER_TUNE_MODEL_TRIALCONTEST_H
#define MINIC_COMPILER_TUNE_MODEL_TRIALCONTEST_H

#include "compiler/tune/model/PlanContest.h"
#include "compiler/tune/model/PlanWays.h"
#include "compiler/tune/model/WholeModelCheck.h"

#include <set>

namespace minic::tune {

/// A plan as an artifact.
struct TrialPlan {
  std::string id; // in the worker
  std::string path;
  /// It runs on a library's team of threads; known once it was loaded.
  bool hasLibraryTeam = false;
};

/// One thread at a time. Unloads what it loaded.
class TrialContest {
public:
  TrialContest(const WholeModelInputs &inputs, double trialSeconds,
               Worker &worker, const Clock &clock)
      : inputs(inputs), trialSeconds(trialSeconds), worker(worker),
        clock(clock) {}
  ~TrialContest();

  /// Loads the plan that all begins with, and finds out how plans are run.
  absl::Status begin(TrialPlan &first);
  /// Seconds that a contest takes at least.
  double leastSeconds() const;

  /// Loads `changed` and times it beside `before`, which is loaded. If it may
  /// replace that, both are loaded again in the other order and timed once
  /// more, and this is what the figures say: how fast a plan runs depends on
  /// where it was loaded. Rounds go on for `mostSeconds` at most where there
  /// are too few for an interval. Figures without a ratio's interval: it is
  /// clearly slower.
  absl::StatusOr<Figures> time(TrialPlan &changed, TrialPlan &before,
                               double mostSeconds);
  /// The same once, both loaded anew.
  absl::StatusOr<Figures> timeAnew(TrialPlan &changed, TrialPlan &before,
                                   double mostSeconds);
  absl::Status load(TrialPlan &plan);
  void unload(const TrialPlan &plan);

  /// "graph", "stream, short runs on the device"; of a GPU.
  std::string describeWay() const;
  /// Of all contests: the most noise of one, and the clocks.
  const Noise &noise() const { return noise_; }
  const ClockRange &smClock() const { return clocks; }
  /// Whether a contest ended undecided, or disturbed figures held a faster plan
  /// back. Never on a GPU.
  bool isUndecided() const { return isUndecided_; }

private:
  absl::StatusOr<Figures> timeLoaded(const TrialPlan &changed,
                                     const TrialPlan &before,
                                     double mostSeconds);
  void note(const PlanContest &contest, const Figures &figures);

  const WholeModelInputs &inputs;
  const double trialSeconds;
  Worker &worker;
  const Clock &clock;
  runtime::RunMode way_ = runtime::RunMode::device;
  double runUs = 0; // of the first plan, about
  bool timesDevice = false;
  std::set<std::string> loaded;
  Noise noise_;
  ClockRange clocks;
  bool isUndecided_ = false;
};

} // namespace minic::tune

#endif // MINIC_COMPILER_TUNE_MODEL_TRIALCONTEST_H
