// SPDX-License-Identifier: Apache-2.0
//
// ImageGeometry: the numbers that follow from a pool or resize and a schedule.

#ifndef MINIC_COMPILER_TARGET_CUDA_IMAGES_IMAGEGEOMETRY_H
#define MINIC_COMPILER_TARGET_CUDA_IMAGES_IMAGEGEOMETRY_H

#include "compiler/target/DeviceProfile.h"
#include "compiler/target/codegen/ImageFusion.h"
#include "compiler/target/cuda/images/ImageSchedule.h"

namespace minic::cuda {

/// Threads run through channels first, or columns of NCHW, so that neighbours
/// read neighbours.
struct ImageGeometry {
  ImageSchedule schedule;
  /// Of the input, in NHWC; the result has other rows and columns. The planes
  /// of NCHW are images of one channel.
  int64_t batch = 0, height = 0, width = 0, channels = 0;
  int64_t outputRows = 0, outputColumns = 0;
  /// Of a pool.
  graph::WindowLine rows, columns;
  mlir::Type dtype;
  /// Pixels of the input that a pixel of the result is made of, as lines of
  /// them.
  int64_t tapLines = 1, taps = 1;
  /// Of the fusion's body, for each result and for each tap, roughly.
  int64_t epilogueInstructions = 0, prologueInstructions = 0;
  /// What is read of memory ahead of the pool or resize.
  double inputBytes = 0;

  /// Fails with a reason where `schedule` cannot implement `image`.
  static mlir::FailureOr<ImageGeometry> get(const ImageFusion &image,
                                            const ImageSchedule &schedule,
                                            std::string *reason);

  int64_t pixels() const { return batch * outputRows * outputColumns; }
  /// Threads with work, and blocks.
  int64_t items() const { return pixels() * (channels / schedule.channels); }
  int64_t blocks() const;
  /// Whether taps, or those of a line, are no loop.
  bool isUnrolled() const { return taps <= 16; }
  bool isLineUnrolled() const { return taps / tapLines <= 16; }
  /// A rough time: the device's memory, and instructions.
  double estimateUs(const DeviceProfile &profile) const;
};

} // namespace minic::cuda

#endif // MINIC_COMPILER_TARGET_CUDA_IMAGES_IMAGEGEOMETRY_H
