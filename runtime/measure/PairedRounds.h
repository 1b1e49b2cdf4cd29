// SPDX-License-Identifier: Apache-2.0
//
// PairedRounds: rounds in which each of several contestants is timed once, in
// random order, so that whatever the machine does hits all alike.

#ifndef MINIC_RUNTIME_MEASURE_PAIREDROUNDS_H
#define MINIC_RUNTIME_MEASURE_PAIREDROUNDS_H

#include "absl/status/statusor.h"

#include <cstdint>
#include <functional>

namespace minic::runtime {

struct PairedRoundsLimit {
  int rounds = 0;     // exactly so many; 0: for `seconds`
  double seconds = 3; // at least 10 rounds, unless they take 10 times longer
};

/// Calls `addSample` with each index below `count` in every round. Fails where
/// it does.
absl::Status
runPairedRounds(size_t count, const PairedRoundsLimit &limit,
                const std::function<absl::Status(size_t)> &addSample);

/// Mean microseconds of so many runs.
using TimeRuns = std::function<absl::StatusOr<double>(int64_t iterations)>;

/// Runs for `warmUpMs`, at least once, until code, data and the clock have
/// settled; then how many runs make a sample of `sampleMs`, at least one.
absl::StatusOr<int64_t> warmUp(const TimeRuns &time, double warmUpMs,
                               double sampleMs);

} // namespace minic::runtime

#endif // MINIC_RUNTIME_MEASURE_PAIREDROUNDS_H
