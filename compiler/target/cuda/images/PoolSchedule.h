// SPDX-License-Identifier: Apache-2.0
//
// PoolSchedule: how the results of a pool are spread over threads.

#ifndef MINIC_COMPILER_TARGET_CUDA_IMAGES_POOLSCHEDULE_H
#define MINIC_COMPILER_TARGET_CUDA_IMAGES_POOLSCHEDULE_H

#include "mlir/IR/BuiltinAttributes.h"

#include <string>

namespace minic::cuda {

/// Blocks of `threads` threads, each with one pixel in `channels` channels next
/// to each other.
struct PoolSchedule {
  int64_t channels = 1, threads = 128;
  /// Whether it may start before the launch ahead has ended (sm_90).
  bool programmatic = false;
};

/// "images 8x1 threads=128 pdl": channels by pixels.
std::string toString(const PoolSchedule &schedule);
mlir::DictionaryAttr toAttribute(const PoolSchedule &schedule,
                                 mlir::MLIRContext *context);
/// Emits a diagnostic at `loc` for what is no schedule.
mlir::FailureOr<PoolSchedule> parsePoolSchedule(mlir::DictionaryAttr attr,
                                                mlir::Location loc);

} // namespace minic::cuda

#endif // MINIC_COMPILER_TARGET_CUDA_IMAGES_POOLSCHEDULE_H
