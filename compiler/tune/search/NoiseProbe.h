// SPDX-License-Identifier: Apache-2.0
//
// NoiseProbe: how noisy this machine is at the moment, from 20 ms of short
// loops. CPU only.

#ifndef MINIC_COMPILER_TUNE_SEARCH_NOISEPROBE_H
#define MINIC_COMPILER_TUNE_SEARCH_NOISEPROBE_H

#include "compiler/tune/database/Noise.h"
#include "compiler/tune/process/Clock.h"

#include <functional>

namespace minic::tune {

/// What a probe works with.
struct NoiseProbe {
  static constexpr double seconds = 0.02;

  const Clock &clock;
  /// Does the same work in every call, about 0.1 ms of it.
  std::function<void()> spin;
  /// The text of a file below /proc; empty where there is none.
  std::function<std::string(const std::string &path)> read;
  int64_t cores = 1;

  /// Spins for `seconds`. The spread is that of the spins' times. Others are
  /// the processes that wanted to run beside this one, on average: by the
  /// kernel's count, or by how long this thread had to wait, whichever is more;
  /// and the cores that a hypervisor gave to somebody else.
  Noise run() const;
};

/// On this machine, in this thread.
Noise probeNoise();

} // namespace minic::tune

#endif // MINIC_COMPILER_TUNE_SEARCH_NOISEPROBE_H
