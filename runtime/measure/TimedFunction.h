// SPDX-License-Identifier: Apache-2.0
//
// TimedFunction: a loaded function with operands, ready to be timed in turn
// with others.

#ifndef MINIC_RUNTIME_MEASURE_TIMEDFUNCTION_H
#define MINIC_RUNTIME_MEASURE_TIMEDFUNCTION_H

#include "runtime/base/AlignedBuffer.h"
#include "runtime/measure/HostOperands.h"
#include "runtime/measure/Protocol.h"
#include "runtime/program/Context.h"

#include <memory>
#include <vector>

namespace minic::runtime {

/// Pushes everything else out of this core's view of the caches. The private
/// caches of other cores keep what they hold.
class CacheEvictor {
public:
  /// Allocates twice `lastLevelCacheBytes`, but at most 256 MiB: to write twice
  /// an L3 of 480 MB takes 110 ms.
  static absl::StatusOr<CacheEvictor> create(int64_t lastLevelCacheBytes);
  void evict();

private:
  AlignedBuffer buffer_;
};

/// One thread at a time. Move-only.
class TimedFunction {
public:
  /// The arena is touched, so that no page fault is left for the first sample.
  /// A pool, if given, runs the threads. `operands`: those of another function,
  /// which it takes too where they fit; else it has its own.
  static absl::StatusOr<TimedFunction>
  create(std::shared_ptr<const Program> program,
         const ContextOptions &options = {},
         std::shared_ptr<const HostOperands> operands = nullptr);

  absl::Status run();

  /// Mean microseconds of one run over `iterations` (at least 1) by the steady
  /// clock. Warm (`evictor` is null): back to back under one pair of clock
  /// readings, after one untimed run that brings operands into the caches,
  /// left out where the last run took longer than 5 ms. Cold: evicted before
  /// each run, each run timed alone (a clock reading takes some 20 ns); fewer
  /// runs where evictions take longer than 20 ms together, but one.
  absl::StatusOr<double> sample(int64_t iterations,
                                CacheEvictor *evictor = nullptr);

  /// One run, timed command by command.
  absl::StatusOr<RunTrace> trace();

  /// Whether this process was kept from running during the last sample.
  bool wasDisturbed() const { return wasDisturbed_; }

  const Program &program() const { return context_->program(); }
  const std::shared_ptr<const HostOperands> &operands() const {
    return operands_;
  }

private:
  std::unique_ptr<Context> context_;
  std::shared_ptr<const HostOperands> operands_;
  double lastUs_ = 0;
  bool wasDisturbed_ = false;
};

} // namespace minic::runtime

#endif // MINIC_RUNTIME_MEASURE_TIMEDFUNCTION_H
