// SPDX-License-Identifier: Apache-2.0
//
// RunTrace: when each command of one run worked.

#ifndef MINIC_RUNTIME_DEVICE_RUNTRACE_H
#define MINIC_RUNTIME_DEVICE_RUNTRACE_H

#include <cstdint>
#include <string>
#include <vector>

namespace minic::runtime {

/// When one worker of a launch was in its part, as CommandTime.
struct WorkerTime {
  double beginUs = 0, endUs = 0;
};

struct CommandTime {
  uint32_t command = 0; // index in Variant.run
  /// Microseconds since the trace's begin.
  double beginUs = 0, endUs = 0;
  /// CPU: ticks of the time-stamp counter, whose rate does not follow the
  /// core's clock, that the workers spent together; of what is no launch, the
  /// calling thread's. 0 on a GPU.
  uint64_t ticks = 0;
  /// CPU: by worker, of a launch; else empty.
  std::vector<WorkerTime> workers;
};

struct RunTrace {
  /// What read the times: "steady clock", "CUDA events".
  std::string clock;
  /// From the begin of the run to its end.
  double spanUs = 0;
  /// In the order of the plan; commands that move nothing are left out.
  std::vector<CommandTime> commands;
};

} // namespace minic::runtime

#endif // MINIC_RUNTIME_DEVICE_RUNTRACE_H
