// SPDX-License-Identifier: Apache-2.0
//
// PaddedImage: NHWC images with their pads, of which the windows of a
// convolution are rows that need not be gathered.

#ifndef MINIC_COMPILER_TARGET_CPU_PADDEDIMAGE_H
#define MINIC_COMPILER_TARGET_CPU_PADDEDIMAGE_H

#include "compiler/target/codegen/KernelBuilder.h"
#include "dialects/graph/Conv2dGeometry.h"

namespace minic::cpu {

/// Where windows move by one pixel, what a tap meets is a matrix: a row for
/// each pixel of the padded images, one after the other, and the next tap's
/// begins some pixels on. Rows whose windows would go around the end of a line,
/// or below the image, are no result.
struct PaddedImage {
  graph::Conv2dGeometry conv;

  /// Of a convolution of NHWC images with one group; none where strides are not
  /// 1 or channels do not fill lines of 64 bytes.
  static std::optional<PaddedImage> get(const graph::Conv2dGeometry &conv);

  /// Of an image, pads included.
  int64_t height() const {
    return conv.padTop + conv.inputHeight + conv.padBottom;
  }
  int64_t width() const {
    return conv.padLeft + conv.inputWidth + conv.padRight;
  }
  /// The matrix' rows, up to the last one that is a result.
  int64_t rows() const;
  /// Pixels from the first to the last tap of a window.
  int64_t reach() const {
    return (conv.filterHeight - 1) * conv.dilationHeight * width() +
           (conv.filterWidth - 1) * conv.dilationWidth;
  }
  /// Lines of all padded images that windows of `count` rows are in, at most.
  int64_t linesOf(int64_t count) const {
    return (count + reach()) / width() + 2;
  }
  int64_t lineElements() const { return width() * conv.inputChannels; }

  /// Elements from a row's first tap to line `line` (of 32 elements, an i64) of
  /// its window.
  mlir::Value offsetOf(KernelBuilder &k, mlir::Value line) const;

  struct Result {
    mlir::Value exists, row;
  };
  /// Whether row `row` of the matrix is a result, and which.
  Result resultOf(KernelBuilder &k, mlir::Value row) const;
};

/// Adds `name`(images, destination, line, lines): writes lines
/// [line, line + lines) of the padded images, i64, to `destination`; zeros
/// behind the last one.
mlir::LLVM::LLVMFuncOp emitPadImage(mlir::OpBuilder &builder,
                                    mlir::Location loc, mlir::ModuleOp device,
                                    llvm::StringRef name,
                                    const PaddedImage &image);

} // namespace minic::cpu

#endif // MINIC_COMPILER_TARGET_CPU_PADDEDIMAGE_H
