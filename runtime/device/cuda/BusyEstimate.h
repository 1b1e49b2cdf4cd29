// SPDX-License-Identifier: Apache-2.0
//
// BusyEstimate: whether a stream still runs what was enqueued before, without
// asking the driver.
//
// Background: a graph replay shortens a call that is waited for. On a busy
// stream, plain launches overlap across runs, and replays do not. Asking an
// idle stream whether it is idle takes 1.3 us on an H200, about what there is
// to gain. Approach: assume that every run occupies the stream for a time that
// was measured when the model was tuned. A wrong estimate picks the slower way
// of running, never another result.

#ifndef MINIC_RUNTIME_DEVICE_CUDA_BUSYESTIMATE_H
#define MINIC_RUNTIME_DEVICE_CUDA_BUSYESTIMATE_H

#include <algorithm>
#include <limits>

namespace minic::runtime {

/// For the runs of one Context. Times are microseconds of one host clock.
class BusyEstimate {
public:
  /// `runUs`: how long one run is assumed to occupy the stream.
  explicit BusyEstimate(double runUs) : runUs(runUs) {}

  /// Notes a run that is enqueued at `nowUs`; true if the stream was idle.
  bool enqueue(double nowUs) {
    bool isIdle = nowUs >= busyUntilUs;
    double start = isIdle ? nowUs : busyUntilUs;
    busyUntilUs = std::min(start + runUs, nowUs + mostRuns * runUs);
    return isIdle;
  }

  /// Call it when the stream was waited for or replaced: it is idle then.
  void clear() { busyUntilUs = -std::numeric_limits<double>::infinity(); }

private:
  /// About as many launches as a stream queues before the next one waits. It
  /// bounds how far a `runUs` that is too large can add up.
  static constexpr double mostRuns = 1024;

  double runUs;
  double busyUntilUs = -std::numeric_limits<double>::infinity();
};

} // namespace minic::runtime

#endif // MINIC_RUNTIME_DEVICE_CUDA_BUSYESTIMATE_H
