// SPDX-License-Identifier: Apache-2.0
//
// What ops on images expect of their attributes and operands.

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

LogicalResult checkConvolution(std::optional<Location> loc, StringRef op,
                               ImageLayout layout, StringRef filter,
                               ValueRange operands) {
  auto typeOf = [&](size_t i) {
    return cast<RankedTensorType>(operands[i].getType());
  };
  if (typeOf(0).getRank() != 4 || typeOf(1).getRank() != 4) {
    return emitOptionalError(loc, "'graph.", op, "' op expects input ",
                             imageText(layout), " and filter ", filter,
                             ", got ", shapeText(typeOf(0).getShape()), " and ",
                             shapeText(typeOf(1).getShape()));
  }
  for (size_t i = 1; i < operands.size(); ++i) {
    if (typeOf(i).getElementType() != typeOf(0).getElementType()) {
      return emitOptionalError(
          loc, "'graph.", op, "' op expects operands of one dtype, got ",
          typeOf(0).getElementType(), " and ", typeOf(i).getElementType());
    }
  }
  return success();
}

LogicalResult checkBias(std::optional<Location> loc, StringRef op, Value bias,
                        int64_t outputs) {
  if (!bias) {
    return success();
  }
  auto type = cast<RankedTensorType>(bias.getType());
  if (type.getRank() == 1 &&
      (!isKnown(type.getDimSize(0)) || !isKnown(outputs) ||
       type.getDimSize(0) == outputs)) {
    return success();
  }
  return emitOptionalError(loc, "'graph.", op, "' op expects bias ",
                           shapeText(outputs), ", got ",
                           shapeText(type.getShape()));
}

} // namespace minic::graph
