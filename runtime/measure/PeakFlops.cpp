// SPDX-License-Identifier: Apache-2.0
//
// PeakFlops: which loop is the fastest is measured; a wider instruction need
// not be (products of bf16 pairs run at half the rate of f32 on some CPUs).

#include "runtime/measure/PeakFlops.h"

#include <algorithm>
#include <chrono>

namespace minic::runtime {

absl::StatusOr<PeakFlops> PeakFlops::create(int threads, PeakDtype dtype) {
  absl::StatusOr<ThreadTeam> team =
      ThreadTeam::create(threads, /*parallelFor=*/nullptr, /*pool=*/nullptr);
  if (!team.ok()) {
    return team.status();
  }
  PeakFlops peak;
  peak.team_ = *team;
  peak.dtype_ = dtype;
  double best = 0;
  for (const PeakLoop &loop : peakLoops(dtype)) {
    PeakFlops other = peak;
    other.loop_ = loop;
    other.sample(); // warms up
    double gflops = std::max(other.sample(), other.sample());
    if (gflops > best) {
      best = gflops;
      peak.loop_ = loop;
    }
  }
  return peak;
}

double PeakFlops::sample() const {
  using Clock = std::chrono::steady_clock;
  struct Shared {
    double (*loop)();
    double operations;
  } shared{loop_.run, 0};
  Clock::time_point start = Clock::now();
  team_.run(
      team_.threads(),
      [](int worker, void *data) {
        auto *shared = static_cast<Shared *>(data);
        double operations = shared->loop();
        if (worker == 0) {
          shared->operations = operations;
        }
      },
      &shared);
  std::chrono::duration<double, std::nano> elapsed = Clock::now() - start;
  return shared.operations * team_.threads() / elapsed.count();
}

} // namespace minic::runtime
