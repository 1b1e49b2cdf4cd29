// SPDX-License-Identifier: Apache-2.0
//
// Numbers in attributes of ops on images.

#include "dialects/graph/ImageShapes.h"

#include "dialects/graph/ShapeText.h"

using namespace mlir;

namespace minic::graph {

StringRef imageText(ImageLayout layout) {
  return layout == ImageLayout::NCHW ? "[N, C, H, W]" : "[N, H, W, C]";
}

LogicalResult checkNumbers(std::optional<Location> loc, StringRef op,
                           StringRef name, ArrayRef<int64_t> values,
                           size_t count, int64_t least, int64_t most) {
  auto isInside = [&](int64_t value) {
    return value >= least && value <= most;
  };
  if (values.size() == count && llvm::all_of(values, isInside)) {
    return success();
  }
  return emitOptionalError(loc, "'graph.", op, "' op expects ", name, " to be ",
                           count, count == 1 ? " number" : " numbers", " from ",
                           least, " to ", most, ", got ", shapeText(values));
}

} // namespace minic::graph
