// SPDX-License-Identifier: Apache-2.0
//
// A window as large as the image.

#include "passes/graph/layouts/GlobalPool.h"

#include "passes/graph/raise/Match.h"

using namespace mlir;

namespace minic::graph {

static std::optional<PoolKind> poolOf(ReduceKind kind) {
  switch (kind) {
  case ReduceKind::Mean:
    return PoolKind::Average;
  case ReduceKind::Sum:
    return PoolKind::Sum;
  case ReduceKind::Max:
    return PoolKind::Max;
  default:
    return std::nullopt;
  }
}

/// Of the height and the width.
static ArrayRef<int64_t> pixelDims(ImageLayout layout) {
  static constexpr int64_t nchw[] = {2, 3}, nhwc[] = {1, 2};
  return layout == ImageLayout::NHWC ? nhwc : nchw;
}

bool isGlobalPool(Operation *op, ImageLayout layout) {
  auto reduce = dyn_cast<ReduceOp>(op);
  return reduce && mayBeImage(reduce.getInput()) &&
         isFloat(reduce.getInput()) && poolOf(reduce.getKind()) &&
         reduce.getAxes() == pixelDims(layout);
}

Pool2dOp createGlobalPool(OpBuilder &builder, ReduceOp op, ImageLayout layout,
                          Value image) {
  RankedTensorType type = typeOf(image);
  SmallVector<int64_t> window, shape(type.getShape());
  for (int64_t dim : pixelDims(layout)) {
    window.push_back(shape[size_t(dim)]);
    shape[size_t(dim)] = 1;
  }
  OperationState state(op.getLoc(), Pool2dOp::getOperationName());
  state.addOperands(image);
  state.addTypes(type.clone(shape));
  state.addAttributes(
      {builder.getNamedAttr(
           "kind", PoolKindAttr::get(op.getContext(), *poolOf(op.getKind()))),
       builder.getNamedAttr("window", builder.getDenseI64ArrayAttr(window)),
       builder.getNamedAttr(
           "layout", builder.getStringAttr(stringifyImageLayout(layout)))});
  return cast<Pool2dOp>(builder.create(state));
}

} // namespace minic::graph
