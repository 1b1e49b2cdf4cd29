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

/// `values` as an attribute's text: "(a, b)" of heights or widths.
inline llvm::StringRef sideText(int64_t side) {
  return side == 0 ? "heights " : "widths ";
}

} // namespace minic::graph

#endif // MINIC_DIALECTS_GRAPH_IMAGESHAPES_H
