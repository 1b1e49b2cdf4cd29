// SPDX-License-Identifier: Apache-2.0
//
// PeakFlops: the most f32 operations a second that this CPU reaches right now,
// by a loop of nothing but independent fused multiply-adds. The clock moves, so
// take it in the same rounds as what is compared with it.

#ifndef MINIC_RUNTIME_MEASURE_PEAKFLOPS_H
#define MINIC_RUNTIME_MEASURE_PEAKFLOPS_H

#include "runtime/device/cpu/ThreadTeam.h"

namespace minic::runtime {

/// Uses the threads that plans without library calls use, so that no other idle
/// threads spin beside it. One thread at a time.
class PeakFlops {
public:
  /// FailedPrecondition where a thread cannot be started.
  static absl::StatusOr<PeakFlops> create(int threads);

  /// GFLOP/s over all threads, measured for about a millisecond.
  double sample() const;

  /// The instruction set of the loop: "avx512f", "avx2" or "sse2".
  const char *instructionSet() const { return instructionSet_; }

private:
  ThreadTeam team_;
  /// Runs the loop and returns the operations done.
  double (*loop_)() = nullptr;
  const char *instructionSet_ = "";
};

} // namespace minic::runtime

#endif // MINIC_RUNTIME_MEASURE_PEAKFLOPS_H
