// SPDX-License-Identifier: Apache-2.0
//
// PoolGeometry: the numbers that follow from a pool and a schedule.

#ifndef MINIC_COMPILER_TARGET_CUDA_IMAGES_POOLGEOMETRY_H
#define MINIC_COMPILER_TARGET_CUDA_IMAGES_POOLGEOMETRY_H

#include "compiler/target/DeviceProfile.h"
#include "compiler/target/codegen/ImageFusion.h"
#include "compiler/target/cuda/images/PoolSchedule.h"

namespace minic::cuda {

/// Threads run through channels first, so that neighbours read neighbours.
struct PoolGeometry {
  PoolSchedule schedule;
  /// Of images in NHWC.
  int64_t batch = 0, height = 0, width = 0, channels = 0;
  graph::WindowLine rows, columns;
  mlir::Type dtype;
  /// Of the fusion's body, for each result, roughly.
  int64_t epilogueInstructions = 0;

  /// Fails with a reason where `schedule` cannot implement `image`.
  static mlir::FailureOr<PoolGeometry> get(const ImageFusion &image,
                                           const PoolSchedule &schedule,
                                           std::string *reason);

  int64_t pixels() const { return batch * rows.outputs * columns.outputs; }
  /// Threads with work, and blocks.
  int64_t items() const { return pixels() * (channels / schedule.channels); }
  int64_t blocks() const;
  int64_t taps() const { return rows.window * columns.window; }
  /// Whether taps are no loop.
  bool isUnrolled() const { return taps() <= 16; }
  /// A rough time: the device's memory, and instructions.
  double estimateUs(const DeviceProfile &profile) const;
};

} // namespace minic::cuda

#endif // MINIC_COMPILER_TARGET_CUDA_IMAGES_POOLGEOMETRY_H
