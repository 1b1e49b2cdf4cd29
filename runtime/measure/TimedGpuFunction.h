// SPDX-License-Identifier: Apache-2.0
//
// TimedGpuFunction: a function loaded on a GPU with operands of its own, ready
// to be timed in turn with others.
//
// Background: a kernel of a few microseconds takes longer to launch than to
// run, and what a host clock sees of it depends on the launches before it.
// Approach: runs are recorded one after the other into a graph that the device
// replays alone; its own clock around many runs says what one takes.

#ifndef MINIC_RUNTIME_MEASURE_TIMEDGPUFUNCTION_H
#define MINIC_RUNTIME_MEASURE_TIMEDGPUFUNCTION_H

#include "runtime/measure/Protocol.h"
#include "runtime/measure/RotatedOperands.h"
#include "runtime/measure/SpareBuffer.h"
#include "runtime/program/Program.h"

#include <map>
#include <memory>

namespace minic::runtime {

/// One thread at a time.
class TimedGpuFunction {
public:
  struct Options {
    Residency residency = Residency::warm;
    /// Of the L2 cache, for cold operands.
    uint64_t cacheBytes = 0;
    /// Of the same GPU. Used if it fits, else replaced; functions of the same
    /// tensors share it.
    std::shared_ptr<const RotatedOperands> *operands = nullptr;
    /// Of the same GPU: where the function takes its own memory from and
    /// leaves it.
    std::shared_ptr<SpareBuffer> spare = std::make_shared<SpareBuffer>();
  };
  /// ResourceExhausted where the device's memory does not hold the operands.
  static absl::StatusOr<std::unique_ptr<TimedGpuFunction>>
  create(std::shared_ptr<const Program> program, const Options &options);
  ~TimedGpuFunction();

  Residency residency() const { return options.residency; }

  /// Mean microseconds of one run over at least `iterations` (at least 1).
  /// Mode `device`: of recorded runs, after an untimed replay where that is
  /// short; others: by the host's clock, after an untimed run. A graph mode is
  /// FailedPrecondition where capture is refused. `runUs` as in TimeRequest.
  absl::StatusOr<double> sample(int64_t iterations, RunMode mode,
                                double runUs = 0);

  /// Mean microseconds, by the host's clock, of one replayed run whose pointers
  /// differ from those of the run before. `waits`: the host waits for each.
  /// `changes` is not `none`. FailedPrecondition if the runs did not do what it
  /// says.
  absl::StatusOr<double> sampleChanging(int64_t iterations, bool waits,
                                        ChangedPointers changes);

private:
  struct Recorded {
    std::unique_ptr<RecordedRuns> runs;
    int64_t count = 0; // of runs in one replay
    double lastUs = 0;
  };
  TimedGpuFunction(std::shared_ptr<const Program> program,
                   const Options &options)
      : program(std::move(program)), options(options) {}

  absl::Status allocate();
  void *constantsOf(int64_t set) const; // set > 0
  /// For the host's clock.
  struct HostTimed {
    std::unique_ptr<Execution> execution;
    double runUs = 0; // of its estimate
  };
  absl::StatusOr<std::unique_ptr<Execution>>
  createExecution(GraphMode mode, int64_t set, double runUs = 0,
                  std::optional<PointerPolicy> pointers = {}) const;
  absl::StatusOr<Execution *> findExecution(GraphMode mode, double runUs);
  /// A recording of `count` runs.
  absl::StatusOr<Recorded *> record(int64_t count);
  /// What is replayed, untimed, before `entry`: the shortest that suffices.
  Recorded &warmUpOf(Recorded &entry);
  absl::StatusOr<double> sampleDevice(int64_t iterations);
  absl::StatusOr<double> sampleHost(int64_t iterations, RunMode mode,
                                    double runUs);

  const std::shared_ptr<const Program> program;
  const Options options;
  std::shared_ptr<const RotatedOperands> operands;
  /// The arena, then a copy of the constants for each set but the first.
  SpareBuffer::Block block;
  std::vector<std::unique_ptr<Execution>> executions; // one per set
  std::map<int64_t, Recorded> recorded;               // by count
  std::map<GraphMode, HostTimed> hostTimed;
  /// The same with changing pointers; none of `others` is one of `operands`.
  std::map<ChangedPointers, std::unique_ptr<Execution>> changing;
  std::shared_ptr<const RotatedOperands> others;
};

} // namespace minic::runtime

#endif // MINIC_RUNTIME_MEASURE_TIMEDGPUFUNCTION_H
