// SPDX-License-Identifier: Apache-2.0
//
// PixelSource: where the thread of a pixel of the result finds pixels of the
// input, and what it makes of them.

#ifndef MINIC_COMPILER_TARGET_CUDA_IMAGES_PIXELSOURCE_H
#define MINIC_COMPILER_TARGET_CUDA_IMAGES_PIXELSOURCE_H

#include "compiler/target/cuda/BodyEvaluator.h"
#include "compiler/target/cuda/images/ImageGeometry.h"

namespace minic::cuda {

/// Values are f32, vectors of the thread's channels where it has several.
struct PixelSource {
  CudaKernelBuilder &k;
  const ImageFusion &image;
  const ImageGeometry &geometry;
  /// Points to the thread's channels of its image's first pixel; null where
  /// pointwise ops come before.
  mlir::Value input;
  /// Those ops; null where there are none.
  BodyEvaluator *before;
  /// Number of the thread's image, or plane of NCHW, and its first channel.
  mlir::Value number, channel;
  /// Row and column of the result, i32.
  mlir::Value row, column;

  /// The input's pixel. What is not `isInside` is made of the image's
  /// beginning, for the caller to drop: no branch keeps loads apart.
  mlir::Value read(mlir::Value h, mlir::Value w,
                   mlir::Value isInside = nullptr) const;
  mlir::Value spread(mlir::Value scalar) const;
  mlir::Value toFloat(mlir::Value integer) const;
};

/// What the pool of the fusion makes of the window of `source`.
mlir::Value emitPooled(const PixelSource &source);
/// What its resize makes of the nearest pixels.
mlir::Value emitResized(const PixelSource &source);

} // namespace minic::cuda

#endif // MINIC_COMPILER_TARGET_CUDA_IMAGES_PIXELSOURCE_H
