// SPDX-License-Identifier: Apache-2.0
//
// WindowRows: the windows of a convolution of NHWC images, as rows of a product
// by its filter.

#ifndef MINIC_COMPILER_TARGET_CPU_WINDOWROWS_H
#define MINIC_COMPILER_TARGET_CPU_WINDOWROWS_H

#include "compiler/target/codegen/KernelBuilder.h"
#include "dialects/graph/Conv2dGeometry.h"

namespace minic::cpu {

/// A row is the window of one pixel of the result: [filter height, taps,
/// channels] with `taps` and `channels` padded, so that runs, which are pieces
/// of memory, begin at lines. Where taps lie side by side a run is a line of
/// the filter, else one tap.
struct WindowRows {
  /// Elements of bf16 in a line of 64 bytes.
  static constexpr int64_t lineElements = 32;

  graph::Conv2dGeometry conv;
  int64_t paddedChannels = 0, paddedTaps = 0;
  /// Taps of a run, and runs of a line of the filter.
  int64_t runTaps = 0, runs = 0;

  /// Of a convolution of NHWC images with one group. Takes the way of runs that
  /// makes K shorter.
  static WindowRows get(const graph::Conv2dGeometry &conv);

  int64_t runElements() const {
    return (runs == 1 ? paddedTaps : 1) * paddedChannels;
  }
  int64_t k() const { return conv.filterHeight * paddedTaps * paddedChannels; }
  /// Whether lines are of whole taps, each with a channel that memory lacks.
  bool expands() const {
    return paddedChannels == conv.inputChannels + 1 &&
           lineElements % paddedChannels == 0;
  }
};

/// Where lines of rows go, in elements: line l of row i begins at
/// l * lineStride + i * rowStride.
struct RowPlaces {
  int64_t rowStride, lineStride;
};

/// Adds `name`(images, destination, row, rows): writes rows [row, row + rows)
/// of the product, i64, to `destination`. What is in the images' pads, and what
/// rows are padded with, is zero.
mlir::LLVM::LLVMFuncOp
emitGatherWindows(mlir::OpBuilder &builder, mlir::Location loc,
                  mlir::ModuleOp device, llvm::StringRef name,
                  const WindowRows &windows, const RowPlaces &places);

} // namespace minic::cpu

#endif // MINIC_COMPILER_TARGET_CPU_WINDOWROWS_H
