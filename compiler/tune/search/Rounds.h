// SPDX-License-Identifier: Apache-2.0
//
// Rounds: decides between a few candidates by timing them side by side. In
// every round each runs once, in a random order, so that drift of the clock
// hits all alike and ratios within a round say who is faster. Times of a sample
// that was disturbed count only where there are too few others.

#ifndef MINIC_COMPILER_TUNE_SEARCH_ROUNDS_H
#define MINIC_COMPILER_TUNE_SEARCH_ROUNDS_H

#include "compiler/tune/process/Clock.h"
#include "runtime/measure/Statistics.h"

#include "absl/status/statusor.h"
#include "absl/types/span.h"

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace minic::tune {

struct RoundsOptions {
  int minRounds = 8, maxRounds = 60; // counting kept ones
  double maxSeconds = 1.5;
  /// With too few rounds for an interval it goes on until then. Below
  /// maxSeconds it has no effect.
  double mostSeconds = 0;
  /// A round in which one candidate, timed first and last, differs by more
  /// than this part is dropped: the clock moved.
  double clockTolerance = 0.03;
  /// If all that remain are this close (half-width of the interval), it is a
  /// tie.
  double indifference = 0.004;
  /// A contestant whose ratio to the leader exceeds this is out after half of
  /// minRounds.
  double hopeless = 1.25;
  /// The contest is undecided while the leader may be slower than another one
  /// by more than this part.
  double undecidedMargin = 0.02;
  /// The pairs to compare. A contestant takes part until all of its pairs are
  /// settled: by a narrow interval, or by one that leaves out 1. Empty: the
  /// fastest against all others.
  std::vector<std::pair<int, int>> pairs;
  uint64_t seed = 0; // of the order
  /// Asked before each round; true ends the rounds with what there is.
  std::function<bool()> stop;
};

struct Contestant {
  std::vector<double> samplesUs; // one per kept round it took part in
  runtime::Estimate timeUs;      // its median
  runtime::Estimate ratio;       // over the leader, paired; 1 for the leader
  bool eliminated = false;       // slower beyond the interval, dropped early
};

struct RoundsResult {
  std::vector<Contestant> contestants; // parallel to the candidates
  int leader = 0;                      // smallest ratio
  /// Parallel to RoundsOptions::pairs: the first over the second.
  std::vector<runtime::Estimate> pairRatios;
  /// Parallel: too few pairs were undisturbed, so that all of them count.
  std::vector<bool> pairIsDisturbed;
  int rounds = 0, dropped = 0; // kept; lost to a moving clock
  /// "separated", "tied", "settled" (all pairs), "rounds", "time", "stopped".
  std::string ended;
  /// By the 95 % interval, or the extremes where there is none, the leader may
  /// be slower than another contestant by more than undecidedMargin; with
  /// `pairs`, one of both may be faster by more than that, and either may.
  bool isUndecided = false;
};

/// What a round measured, in the order asked for.
struct RoundTimes {
  RoundTimes(std::vector<double> us = {}) : us(std::move(us)) {}
  std::vector<double> us; // of one run
  /// Parallel: the process was kept from running; empty: nowhere.
  std::vector<bool> disturbed;
};

/// How many runs of `us` each take about `targetUs`: 1 to `most`.
int64_t iterationsFor(double us, double targetUs, int64_t most = 10000);

/// Times candidates in the given order (indices; the first is repeated at the
/// end).
using TimeRound =
    std::function<absl::StatusOr<RoundTimes>(absl::Span<const int>)>;

/// Rounds among `count` candidates, at least one, until their intervals
/// separate, all are tied, or rounds or time run out. A non-positive time is
/// Internal. Fails only where `timeRound` does or not a single round was kept.
absl::StatusOr<RoundsResult> runRounds(int count, const TimeRound &timeRound,
                                       const Clock &clock,
                                       const RoundsOptions &options = {});

} // namespace minic::tune

#endif // MINIC_COMPILER_TUNE_SEARCH_ROUNDS_H
