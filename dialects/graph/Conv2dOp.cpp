// SPDX-License-Identifier: Apache-2.0
//
// Shape inference and verification of graph.conv2d.

#include "dialects/graph/ImageShapes.h"
#include "dialects/graph/ShapeText.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace minic::graph {

Conv2dGeometry Conv2dOp::getGeometry() {
  return geometryOf(*this, getInput(), getResult());
}

/// The output's extent along one dimension; failure where the filter is larger
/// than the padded input.
static FailureOr<int64_t> outputExtent(int64_t input, int64_t filter,
                                       int64_t stride, int64_t padding,
                                       int64_t dilation) {
  if (!isKnown(input) || !isKnown(filter)) {
    return ShapedType::kDynamic;
  }
  int64_t padded, reach;
  if (filter < 1 || llvm::AddOverflow(input, padding, padded) ||
      llvm::MulOverflow(filter - 1, dilation, reach) || reach >= padded) {
    return failure();
  }
  return (padded - reach - 1) / stride + 1;
}

/// Dtypes, ranks, channels and groups.
static LogicalResult checkOperands(std::optional<Location> loc,
                                   Conv2dOpAdaptor op) {
  auto input = cast<RankedTensorType>(op.getInput().getType());
  auto filter = cast<RankedTensorType>(op.getFilter().getType());
  if (failed(checkConvolution(loc, "conv2d", op.getLayout(),
                              "[K, C / groups, R, S]", op.getOperands()))) {
    return failure();
  }
  int64_t groups = op.getGroups();
  int64_t channels = input.getDimSize(ImageDims(op.getLayout()).channels);
  int64_t perGroup = filter.getDimSize(1);
  if (isKnown(channels) && isKnown(perGroup) &&
      (channels % groups != 0 || channels / groups != perGroup)) {
    return emitOptionalError(
        loc,
        "'graph.conv2d' op expects C / groups channels in the filter, got ",
        channels, " / ", groups, " and ", perGroup);
  }
  int64_t outputs = filter.getDimSize(0);
  if (isKnown(outputs) && outputs % groups != 0) {
    return emitOptionalError(
        loc, "'graph.conv2d' op expects K to be a multiple of groups, got ",
        outputs, " and ", groups);
  }
  return checkBias(loc, "conv2d", op.getBias(), outputs);
}

LogicalResult
Conv2dOp::inferReturnTypes(MLIRContext *context, std::optional<Location> loc,
                           ValueRange operands, DictionaryAttr attributes,
                           OpaqueProperties properties, RegionRange regions,
                           SmallVectorImpl<Type> &types) {
  Conv2dOpAdaptor op(operands, attributes, properties, regions);
  ArrayRef<int64_t> strides = op.getStrides(), pads = op.getPads();
  ArrayRef<int64_t> dilations = op.getDilations();
  if (failed(checkNumbers(loc, "conv2d", "strides", strides, 2, 1)) ||
      failed(checkNumbers(loc, "conv2d", "pads", pads, 4, 0)) ||
      failed(checkNumbers(loc, "conv2d", "dilations", dilations, 2, 1)) ||
      failed(checkNumbers(loc, "conv2d", "groups", int64_t(op.getGroups()), 1,
                          1)) ||
      failed(checkOperands(loc, op))) {
    return failure();
  }
  auto input = cast<RankedTensorType>(op.getInput().getType());
  auto filter = cast<RankedTensorType>(op.getFilter().getType());
  ImageDims dims(op.getLayout());
  SmallVector<int64_t> shape(input.getShape());
  shape[dims.channels] = filter.getDimSize(0);
  for (int64_t i : {0, 1}) {
    int64_t &extent = shape[dims.height + i];
    auto output = outputExtent(extent, filter.getDimSize(2 + i), strides[i],
                               pads[i] + pads[2 + i], dilations[i]);
    if (failed(output)) {
      return emitOptionalError(
          loc,
          "'graph.conv2d' op expects the padded input to be no smaller "
          "than the dilated filter, got ",
          sideText(i), extent, " + ", pads[i], " + ", pads[2 + i], " and (",
          filter.getDimSize(2 + i), " - 1) * ", dilations[i], " + 1");
    }
    extent = *output;
  }
  types.push_back(RankedTensorType::get(shape, input.getElementType()));
  return success();
}

} // namespace minic::graph
