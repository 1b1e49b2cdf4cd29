// SPDX-License-Identifier: Apache-2.0
//
// Deciles of each series, and the load average's count of runnable threads.

#include "compiler/tune/search/NoiseMeter.h"

#include "runtime/measure/KernelCounts.h"
#include "runtime/measure/Statistics.h"

#include <algorithm>
#include <fstream>
#include <thread>

namespace minic::tune {

/// Deciles of fewer samples say nothing.
static constexpr size_t leastSamples = 4;

int64_t runnableOthers() {
  std::ifstream file("/proc/loadavg");
  std::string line;
  std::getline(file, line);
  return std::max<int64_t>(0, runtime::parseRunnable(line).value_or(1) - 1);
}

void NoiseMeter::beforeRound() {
  others += double(countOthers());
  ++rounds;
}

void NoiseMeter::add(const std::string &series, double us) {
  samples[series].push_back(us);
}

Noise NoiseMeter::noise() const {
  std::vector<double> spreads;
  for (const auto &[series, times] : samples) {
    if (times.size() >= leastSamples) {
      spreads.push_back(spreadOf(times));
    }
  }
  if (spreads.empty() || rounds == 0) {
    return {};
  }
  Noise noise;
  noise.spread = runtime::median(spreads);
  noise.others = others / double(rounds);
  noise.cores = std::max<int64_t>(1, std::thread::hardware_concurrency());
  return noise;
}

} // namespace minic::tune
