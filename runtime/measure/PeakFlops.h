// SPDX-License-Identifier: Apache-2.0
//
// PeakFlops: the most operations a second on operands of a dtype that this CPU
// reaches right now, by the fastest of peakLoops(). The clock moves, so take it
// in the same rounds as what is compared with it.

#ifndef MINIC_RUNTIME_MEASURE_PEAKFLOPS_H
#define MINIC_RUNTIME_MEASURE_PEAKFLOPS_H

#include "runtime/device/cpu/ThreadTeam.h"
#include "runtime/measure/PeakLoops.h"

namespace minic::runtime {

/// Uses the threads that plans without library calls use, so that no other idle
/// threads spin beside it. One thread at a time.
class PeakFlops {
public:
  /// FailedPrecondition where a thread cannot be started.
  static absl::StatusOr<PeakFlops> create(int threads, PeakDtype dtype);

  /// GFLOP/s over all threads, measured for about a millisecond.
  double sample() const;

  PeakDtype dtype() const { return dtype_; }
  /// Of the loop: "avx512f", "amx-bf16".
  const char *instructionSet() const { return loop_.instructionSet; }

private:
  ThreadTeam team_;
  PeakDtype dtype_ = PeakDtype::f32;
  PeakLoop loop_ = {"", nullptr};
};

} // namespace minic::runtime

#endif // MINIC_RUNTIME_MEASURE_PEAKFLOPS_H
