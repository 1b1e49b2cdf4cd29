// SPDX-License-Identifier: Apache-2.0
//
// The loop, and how long a sample is.

#include "runtime/measure/PairedRounds.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

namespace minic::runtime {

using Clock = std::chrono::steady_clock;

static constexpr int minimumRounds = 10;     // even where they take longer
static constexpr double maximumOverrun = 10; // but not this many times longer

static double secondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Whether to go on after `rounds` of them.
static bool goesOn(const PairedRoundsLimit &limit, int rounds,
                   Clock::time_point start) {
  if (limit.rounds > 0) {
    return rounds < limit.rounds;
  }
  double seconds = secondsSince(start);
  return seconds < limit.seconds ||
         (rounds < minimumRounds && seconds < maximumOverrun * limit.seconds);
}

absl::Status
runPairedRounds(size_t count, const PairedRoundsLimit &limit,
                const std::function<absl::Status(size_t)> &addSample) {
  std::vector<size_t> order(count);
  std::iota(order.begin(), order.end(), size_t(0));
  std::mt19937 generator(1);
  Clock::time_point start = Clock::now();
  for (int round = 0; round == 0 || goesOn(limit, round, start); ++round) {
    std::shuffle(order.begin(), order.end(), generator);
    for (size_t i : order) {
      if (absl::Status status = addSample(i); !status.ok()) {
        return status;
      }
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<int64_t> warmUp(const TimeRuns &time, double warmUpMs,
                               double sampleMs) {
  double fastestUs = std::numeric_limits<double>::infinity();
  Clock::time_point start = Clock::now();
  int64_t iterations = 1;
  do {
    absl::StatusOr<double> sample = time(iterations);
    if (!sample.ok()) {
      return sample.status();
    }
    fastestUs = std::min(fastestUs, *sample);
    iterations = std::min<int64_t>(2 * iterations, 1024);
  } while (secondsSince(start) * 1000 < warmUpMs);
  // A run that the clock cannot resolve counts as one of a nanosecond.
  double runs = std::ceil(sampleMs * 1000 / std::max(fastestUs, 1e-3));
  return std::max<int64_t>(1, int64_t(runs));
}

} // namespace minic::runtime
