// SPDX-License-Identifier: Apache-2.0
//
// DepthwiseSchedule: how the results of a depthwise convolution are spread over
// threads.

#ifndef MINIC_COMPILER_TARGET_CUDA_CONV_DEPTHWISE_DEPTHWISESCHEDULE_H
#define MINIC_COMPILER_TARGET_CUDA_CONV_DEPTHWISE_DEPTHWISESCHEDULE_H

#include "mlir/IR/BuiltinAttributes.h"

#include <string>

namespace minic::cuda {

/// Blocks of `threads` threads, each with `pixels` neighbours of a line in
/// `channels` channels next to each other.
struct DepthwiseSchedule {
  int64_t channels = 1, pixels = 1;
  int64_t threads = 128;
  /// Whether it may start before the launch ahead has ended (sm_90).
  bool programmatic = false;

  int64_t results() const { return channels * pixels; }
};

/// "conv_depthwise 8x4 threads=128 pdl": channels by pixels.
std::string toString(const DepthwiseSchedule &schedule);
mlir::DictionaryAttr toAttribute(const DepthwiseSchedule &schedule,
                                 mlir::MLIRContext *context);
/// Emits a diagnostic at `loc` for what is no schedule.
mlir::FailureOr<DepthwiseSchedule>
parseDepthwiseSchedule(mlir::DictionaryAttr attr, mlir::Location loc);

} // namespace minic::cuda

#endif // MINIC_COMPILER_TARGET_CUDA_CONV_DEPTHWISE_DEPTHWISESCHEDULE_H
