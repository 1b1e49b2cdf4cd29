// SPDX-License-Identifier: Apache-2.0
//
// Spins, and reads between spins what the kernel says.

#include "compiler/tune/search/NoiseProbe.h"

#include "runtime/measure/KernelCounts.h"

#include <algorithm>
#include <fstream>
#include <sstream>
#include <thread>
#include <vector>

#include <unistd.h>

namespace minic::tune {

Noise NoiseProbe::run() const {
  auto runDelay = [&] {
    return 1e-6 * runtime::parseRunDelayUs(read("/proc/thread-self/schedstat"))
                      .value_or(0);
  };
  auto steal = [&] {
    return 1e-6 * runtime::parseStolenUs(read("/proc/stat"),
                                         double(::sysconf(_SC_CLK_TCK)))
                      .value_or(0);
  };
  double stealBefore = steal(), delayBefore = runDelay();
  spin(); // touches cold code
  double start = clock.now(), end = start, waiting = 0;
  std::vector<double> times;
  int64_t counts = 0;
  while (end - start < seconds) {
    double begun = clock.now();
    spin();
    times.push_back(clock.now() - begun);
    // This process is one of those that run.
    if (auto runnable = runtime::parseRunnable(read("/proc/loadavg"))) {
      waiting += double(std::max<int64_t>(*runnable - 1, 0));
      ++counts;
    }
    end = clock.now();
  }
  double elapsed = end - start;
  double delay = std::min(runDelay() - delayBefore, 0.99 * elapsed);
  Noise noise;
  noise.spread = spreadOf(times);
  // Who waits half of the time shares its core with one other.
  noise.others = std::max(counts ? waiting / double(counts) : 0,
                          delay / (elapsed - delay)) +
                 (steal() - stealBefore) / elapsed;
  noise.cores = cores;
  return noise;
}

static std::string readFile(const std::string &path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// A chain of dependent operations, so that its time is the clock's alone.
static void spinOnce() {
  volatile uint64_t result = 0;
  uint64_t value = 1;
  for (int i = 0; i < 60000; ++i) {
    value = value * 6364136223846793005u + 1442695040888963407u;
  }
  result = value;
  (void)result;
}

Noise probeNoise() {
  SteadyClock clock;
  NoiseProbe probe{clock, spinOnce, readFile,
                   std::max<int64_t>(std::thread::hardware_concurrency(), 1)};
  return probe.run();
}

} // namespace minic::tune
