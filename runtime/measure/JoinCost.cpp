// SPDX-License-Identifier: Apache-2.0
//
// Empty regions, timed one by one.

#include "runtime/measure/JoinCost.h"

#include "runtime/device/cpu/ThreadTeam.h"

#include <algorithm>
#include <chrono>
#include <vector>

namespace minic::runtime {

absl::StatusOr<double> measureJoinUs(int threads) {
  if (threads <= 1) {
    return 0.0;
  }
  absl::StatusOr<ThreadTeam> team =
      ThreadTeam::create(threads, /*parallelFor=*/nullptr, /*pool=*/nullptr);
  if (!team.ok()) {
    return team.status();
  }
  using Clock = std::chrono::steady_clock;
  constexpr int warmUps = 16;
  constexpr size_t enough = 400, few = 50;
  constexpr std::chrono::milliseconds limit(4);
  std::vector<double> samples;
  Clock::time_point start = Clock::now();
  for (int i = 0; samples.size() < enough && Clock::now() - start < limit;
       ++i) {
    Clock::time_point begin = Clock::now();
    team->run(threads, [](int, void *) {}, nullptr);
    Clock::time_point end = Clock::now();
    if (i >= warmUps) {
      samples.push_back(
          std::chrono::duration<double, std::micro>(end - begin).count());
    }
  }
  std::sort(samples.begin(), samples.end());
  // A thread that has no core of its own at this moment takes milliseconds.
  double limitUs = 5 + 0.5 * threads;
  if (samples.size() < few || samples[samples.size() / 4] > limitUs) {
    return absl::UnavailableError(
        "other processes keep the cores too busy for a team of threads");
  }
  return samples[samples.size() / 4];
}

} // namespace minic::runtime
