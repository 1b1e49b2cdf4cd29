// SPDX-License-Identifier: Apache-2.0
//
// ImageSchedule: how the results of an image op are spread over threads.

#ifndef MINIC_COMPILER_TARGET_CUDA_IMAGES_IMAGESCHEDULE_H
#define MINIC_COMPILER_TARGET_CUDA_IMAGES_IMAGESCHEDULE_H

#include "mlir/IR/BuiltinAttributes.h"

#include <string>

namespace minic::cuda {

/// Blocks of `threads` threads, each with one pixel in `channels` channels next
/// to each other.
struct ImageSchedule {
  int64_t channels = 1, threads = 128;
  /// Whether it may start before the launch ahead has ended (sm_90).
  bool programmatic = false;
};

/// "images 8x1 threads=128 pdl": channels by pixels.
std::string toString(const ImageSchedule &schedule);
mlir::DictionaryAttr toAttribute(const ImageSchedule &schedule,
                                 mlir::MLIRContext *context);
/// Emits a diagnostic at `loc` for what is no schedule.
mlir::FailureOr<ImageSchedule> parseImageSchedule(mlir::DictionaryAttr attr,
                                                  mlir::Location loc);

} // namespace minic::cuda

#endif // MINIC_COMPILER_TARGET_CUDA_IMAGES_IMAGESCHEDULE_H
