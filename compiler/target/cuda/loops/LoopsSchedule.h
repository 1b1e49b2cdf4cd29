// SPDX-License-Identifier: Apache-2.0
//
// LoopsSchedule: how the result elements of a body are spread over threads.

#ifndef MINIC_COMPILER_TARGET_CUDA_LOOPS_LOOPSSCHEDULE_H
#define MINIC_COMPILER_TARGET_CUDA_LOOPS_LOOPSSCHEDULE_H

#include "compiler/target/DeviceProfile.h"
#include "compiler/target/codegen/MapLoops.h"

#include <string>
#include <vector>

namespace minic::cuda {

/// Blocks of `block` threads, of which `threads` compute one result element
/// together: they share its reduction. Both are powers of two.
struct LoopsSchedule {
  int64_t block = 128;
  int64_t threads = 1;
  /// Whether it may start before the launch ahead has ended (sm_90).
  bool programmatic = false;

  /// How many result elements a block computes.
  int64_t blockElements() const { return block / threads; }
};

/// The schedules worth measuring, best estimate first.
std::vector<LoopsSchedule> enumerateSchedules(const MapLoops &loops,
                                              const DeviceProfile &profile);

/// Microseconds of a kernel that reads and writes `bytes`, the launch included.
double estimateUs(const MapLoops &loops, const LoopsSchedule &schedule,
                  double bytes, const DeviceProfile &profile);

/// "loops block=128 threads=32 per element pdl".
std::string toString(const LoopsSchedule &schedule);
mlir::DictionaryAttr toAttr(const LoopsSchedule &schedule,
                            mlir::MLIRContext *context);
/// Emits a diagnostic at `loc` for what is no schedule.
mlir::FailureOr<LoopsSchedule> parseLoopsSchedule(mlir::DictionaryAttr attr,
                                                  mlir::Location loc);

} // namespace minic::cuda

#endif // MINIC_COMPILER_TARGET_CUDA_LOOPS_LOOPSSCHEDULE_H
