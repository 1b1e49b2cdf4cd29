// SPDX-License-Identifier: Apache-2.0
//
// RoundTimer: times loaded functions, with what they share of their devices.

#ifndef MINIC_RUNTIME_MEASURE_ROUNDTIMER_H
#define MINIC_RUNTIME_MEASURE_ROUNDTIMER_H

#include "runtime/measure/GpuClock.h"
#include "runtime/measure/LoadedFunctions.h"
#include "runtime/measure/MachineFacts.h"

namespace minic::runtime {

class RoundTimer {
public:
  RoundTimer(LoadedFunctions &functions, MachineFacts &facts)
      : functions(functions), facts(facts) {}

  absl::StatusOr<TimeReply> time(const TimeRequest &request);

private:
  const GpuFacts *findGpu(const LoadedFunction &entry) {
    return facts.findGpu(entry.program->place().index);
  }
  double smClockMHz(const LoadedFunction &entry);
  absl::StatusOr<CacheEvictor *> findEvictor();
  /// Makes ready to be timed.
  absl::Status prepare(LoadedFunction &entry, Residency residency);
  absl::StatusOr<double> sample(LoadedFunction &entry, int64_t iterations,
                                Residency residency, RunMode mode,
                                double runUs);
  /// On a CPU: takes a disturbed sample again; adds it to `reply`.
  absl::Status sampleCalmly(LoadedFunction &entry, int64_t iterations,
                            const TimeRequest &request, TimeReply &reply);
  /// With other pointers in every run.
  absl::StatusOr<double> sampleChanging(LoadedFunction &entry,
                                        int64_t iterations, RunMode mode,
                                        ChangedPointers changes);

  LoadedFunctions &functions;
  MachineFacts &facts;
  std::optional<CacheEvictor> evictor;
  /// By index of the GPU: of the last function there.
  std::map<int, std::shared_ptr<const RotatedOperands>> operands;
  std::map<int, std::shared_ptr<SpareBuffer>> spares;
  /// Of the last function on the CPU.
  std::shared_ptr<const HostOperands> hostOperands;
  std::map<int, GpuClock> clocks;
};

} // namespace minic::runtime

#endif // MINIC_RUNTIME_MEASURE_ROUNDTIMER_H
