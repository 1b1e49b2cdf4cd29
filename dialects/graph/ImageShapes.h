// SPDX-License-Identifier: Apache-2.0
//
// What ops on images check and find in shapes alike.

#ifndef MINIC_DIALECTS_GRAPH_IMAGESHAPES_H
#define MINIC_DIALECTS_GRAPH_IMAGESHAPES_H

#include "dialects/graph/Graph.h"

namespace minic::graph {

/// Positions of N, C, H and W in an image tensor's shape.
struct ImageDims {
  int64_t batch = 0, channels, height, width;

  explicit ImageDims(ImageLayout layout)
      : channels(layout == ImageLayout::NCHW ? 1 : 3),
        height(layout == ImageLayout::NCHW ? 2 : 1), width(height + 1) {}
};

/// "[N, C, H, W]" or "[N, H, W, C]".
llvm::StringRef imageText(ImageLayout layout);

/// `values` has `count` numbers from `least` to `most`: with the default, sums
/// and products of them with extents are far from overflow.
mlir::LogicalResult checkNumbers(std::optional<mlir::Location> loc,
                                 llvm::StringRef op, llvm::StringRef name,
                                 llvm::ArrayRef<int64_t> values, size_t count,
                                 int64_t least, int64_t most = INT32_MAX);

inline bool isKnown(int64_t dim) { return !mlir::ShapedType::isDynamic(dim); }

/// What a message says ahead of numbers along the height (0) or the width (1).
inline llvm::StringRef sideText(int64_t side) {
  return side == 0 ? "heights " : "widths ";
}

/// What convolutions of both directions check alike: `operands`, input and
/// filter first, have four dimensions, those of `filter`, and one dtype.
mlir::LogicalResult checkConvolution(std::optional<mlir::Location> loc,
                                     llvm::StringRef op, ImageLayout layout,
                                     llvm::StringRef filter,
                                     mlir::ValueRange operands);

/// `bias`, which may be null, is [outputs].
mlir::LogicalResult checkBias(std::optional<mlir::Location> loc,
                              llvm::StringRef op, mlir::Value bias,
                              int64_t outputs);

/// Of the convolution from `input` to `output` with the attributes of `op`.
template <typename ConvOp>
Conv2dGeometry geometryOf(ConvOp op, mlir::Value input, mlir::Value output) {
  auto shapeOf = [](mlir::Value value) {
    return llvm::cast<mlir::RankedTensorType>(value.getType()).getShape();
  };
  llvm::ArrayRef<int64_t> from = shapeOf(input), to = shapeOf(output);
  llvm::ArrayRef<int64_t> filter = shapeOf(op.getFilter());
  ImageDims dims(op.getLayout());
  return {.batch = to[dims.batch],
          .inputChannels = from[dims.channels],
          .inputHeight = from[dims.height],
          .inputWidth = from[dims.width],
          .outputChannels = to[dims.channels],
          .outputHeight = to[dims.height],
          .outputWidth = to[dims.width],
          .filterHeight = filter[2],
          .filterWidth = filter[3],
          .strideHeight = op.getStrides()[0],
          .strideWidth = op.getStrides()[1],
          .padTop = op.getPads()[0],
          .padLeft = op.getPads()[1],
          .padBottom = op.getPads()[2],
          .padRight = op.getPads()[3],
          .dilationHeight = op.getDilations()[0],
          .dilationWidth = op.getDilations()[1],
          .groups = int64_t(op.getGroups()),
          .layout = op.getLayout()};
}

} // namespace minic::graph

#endif // MINIC_DIALECTS_GRAPH_IMAGESHAPES_H
