// SPDX-License-Identifier: Apache-2.0
//
// GroupNormSchedule: how pixels are spread over threads and blocks.

#ifndef MINIC_COMPILER_TARGET_CUDA_GROUP_NORM_GROUPNORMSCHEDULE_H
#define MINIC_COMPILER_TARGET_CUDA_GROUP_NORM_GROUPNORMSCHEDULE_H

#include "mlir/IR/BuiltinAttributes.h"

#include <string>

namespace minic::cuda {

/// `blocks` blocks share an image. Each has `pixels` whole pixels at a time,
/// and each of its threads 16 bytes of `unroll` pixels.
struct GroupNormSchedule {
  int64_t pixels = 1, unroll = 1, blocks = 1;
  /// Launches may begin while those before them end (sm_90).
  bool programmatic = false;

  friend bool operator==(const GroupNormSchedule &lhs,
                         const GroupNormSchedule &rhs) = default;
};

/// "group_norm 8x4 blocks=128 pdl": pixels by unroll.
std::string toString(const GroupNormSchedule &schedule);
mlir::DictionaryAttr toAttribute(const GroupNormSchedule &schedule,
                                 mlir::MLIRContext *context);
/// Emits a diagnostic at `loc` for what is no schedule.
mlir::FailureOr<GroupNormSchedule>
parseGroupNormSchedule(mlir::DictionaryAttr attr, mlir::Location loc);

} // namespace minic::cuda

#endif // MINIC_COMPILER_TARGET_CUDA_GROUP_NORM_GROUPNORMSCHEDULE_H
