// SPDX-License-Identifier: Apache-2.0
//
// Descent: the best choice of each problem alone need not be the best in the
// whole plan, which has caches, gaps between launches and overlap. So after all
// problems were tuned alone, other rows of theirs are tried in the whole plan,
// one problem at a time, and kept where the plan becomes faster.

#ifndef MINIC_COMPILER_TUNE_MODEL_DESCENT_H
#define MINIC_COMPILER_TUNE_MODEL_DESCENT_H

#include "compiler/tune/model/WholeModelCheck.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace minic::tune {

/// A plan: which of its candidates each problem takes, parallel to
/// DescentInputs::problems.
using Choices = std::vector<int>;

/// A problem of the function. All its fusions take the same candidate.
struct DescentProblem {
  std::string key, description;
  /// Names of verified rows: what the plan has, then others, best first.
  std::vector<std::string> candidates;
  /// Of the plan's time, as far as is known: what may be gained by it.
  double share = 1;
};

/// Before each trial. For people.
struct DescentProgress {
  int trial = 0, trials = 0; // from 1; as many as are known now
  std::string description;   // of what is changed
  int taken = 0;
  double elapsedSeconds = 0, maxSeconds = 0;
};

struct DescentInputs {
  /// Its function, key, device, versions and ways of running. The plan that
  /// descent starts from is part of the key.
  WholeModelInputs model;
  /// Those that take most of the time first.
  std::vector<DescentProblem> problems;
  /// Plans that differ in several problems: tried first.
  std::vector<Choices> plans;
  /// Builds the artifact of a plan, which the search removes; its path.
  std::function<absl::StatusOr<std::string>(const Choices &)> build;
  double maxSeconds = 10;    // of all, builds included
  double trialSeconds = 0.5; // of one contest, where that is enough for rounds
  std::function<void(const DescentProgress &)> progress;
};

struct DescentResult {
  /// Of the plan that descent ends with ("tuned") against the one it started
  /// from ("default"). `tunedShips`: they differ, and the first one is better.
  Verdict verdict;
  Choices choices; // of the better one
  bool measured = false;
};

/// The stored verdict on the plan, if it still fits: the problems offer all
/// candidates that it took. One that is provisional does not count if the
/// inputs say that another search is worth it.
absl::StatusOr<std::optional<DescentResult>>
findDescent(const DescentInputs &inputs, TuningDb &db);

/// Searches, and stores the verdict. A trial that fails costs only itself. An
/// error if the first plan cannot be run, or if the search was interrupted;
/// nothing is stored then.
absl::StatusOr<DescentResult> descend(const DescentInputs &inputs, TuningDb &db,
                                      Worker &worker, const Clock &clock);

/// "trying 3 of 12 changes in the whole model: linear(...), 1 taken, 2 s of at
/// most 10 s".
std::string formatProgress(const DescentProgress &progress);

} // namespace minic::tune

#endif // MINIC_COMPILER_TUNE_MODEL_DESCENT_H
