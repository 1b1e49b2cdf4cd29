// SPDX-License-Identifier: Apache-2.0
//
// PointwiseSchedule: how the elements of a body are spread over threads.

#ifndef MINIC_COMPILER_TARGET_CUDA_POINTWISE_POINTWISESCHEDULE_H
#define MINIC_COMPILER_TARGET_CUDA_POINTWISE_POINTWISESCHEDULE_H

#include "compiler/target/DeviceProfile.h"
#include "compiler/target/codegen/PointwiseLoops.h"

#include <string>
#include <vector>

namespace minic::cuda {

/// A thread computes `unroll` vectors of `vector` consecutive elements; those
/// of a block are next to each other. With `turned` (TurnedPoints) it computes
/// a square of `vector` such vectors.
struct PointwiseSchedule {
  int64_t vector = 1;
  int64_t unroll = 1;
  int64_t threads = 256;
  /// Whether it may start before the launch ahead has ended (sm_90).
  bool programmatic = false;
  bool turned = false;

  int64_t blockElements() const {
    return vector * (turned ? vector : unroll) * threads;
  }
};

/// The schedules worth measuring, best estimate first; `dtypes` are those of
/// the results.
std::vector<PointwiseSchedule>
enumerateSchedules(const PointwiseLoops &loops,
                   llvm::ArrayRef<mlir::Type> dtypes,
                   const DeviceProfile &profile);

/// "pointwise 8x2 threads=256 pdl", "pointwise 8x8 turned threads=128 pdl".
std::string toString(const PointwiseSchedule &schedule);
mlir::DictionaryAttr toAttr(const PointwiseSchedule &schedule,
                            mlir::MLIRContext *context);
/// Emits a diagnostic at `loc` for what is no schedule.
mlir::FailureOr<PointwiseSchedule>
parsePointwiseSchedule(mlir::DictionaryAttr attr, mlir::Location loc);

} // namespace minic::cuda

#endif // MINIC_COMPILER_TARGET_CUDA_POINTWISE_POINTWISESCHEDULE_H
