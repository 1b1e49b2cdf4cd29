// SPDX-License-Identifier: Apache-2.0
//
// log_softmax and the norms: verification and loops.

#include "dialects/graph/AxisCheck.h"
#include "dialects/graph/AxisLoops.h"
#include "dialects/graph/Graph.h"
#include "dialects/graph/ShapeText.h"

using namespace mlir;

namespace minic::graph {

//===----------------------------------------------------------------------===//
// Verification
//===----------------------------------------------------------------------===//

LogicalResult LogSoftmaxOp::verify() {
  return checkNonEmptyAxis(getLoc(), "log_softmax", getAxis(),
                           getInput().getType());
}

/// `parameter` is null, or has the input's dtype and `shape`.
static LogicalResult checkParameter(Operation *op, StringRef name,
                                    Value parameter, ArrayRef<int64_t> shape) {
  if (!parameter) {
    return success();
  }
  auto type = cast<RankedTensorType>(parameter.getType());
  auto input = cast<RankedTensorType>(op->getOperand(0).getType());
  if (type.getElementType() != input.getElementType()) {
    return op->emitOpError("expects operands of one dtype, got ")
           << input.getElementType() << " and " << type.getElementType();
  }
  if (!mayAgree(type.getShape(), shape)) {
    return op->emitOpError("expects ")
           << name << " " << shapeText(shape) << ", got "
           << shapeText(type.getShape());
  }
  return success();
}

static LogicalResult checkEpsilon(Operation *op, const APFloat &epsilon) {
  double value = epsilon.convertToDouble();
  if (value >= 0 && std::isfinite(value)) {
    return success();
  }
  return op->emitOpError("expects an epsilon of 0 or more, got ") << value;
}

static LogicalResult checkNormalized(Operation *op, StringRef name,
                                     RankedTensorType type, int64_t axis) {
  if (failed(checkAxis(op->getLoc(), name, axis, type))) {
    return failure();
  }
  for (int64_t dim = axis; dim < type.getRank(); ++dim) {
    if (failed(checkNonEmptyAxis(op->getLoc(), name, dim, type))) {
      return failure();
    }
  }
  return success();
}

LogicalResult LayerNormOp::verify() {
  auto type = getInput().getType();
  if (failed(checkNormalized(*this, "layer_norm", type, getAxis()))) {
    return failure();
  }
  auto row = type.getShape().drop_front(getAxis());
  return success(succeeded(checkParameter(*this, "scale", getScale(), row)) &&
                 succeeded(checkParameter(*this, "bias", getBias(), row)) &&
                 succeeded(checkEpsilon(*this, getEpsilon())));
}

LogicalResult RmsNormOp::verify() {
  auto type = getInput().getType();
  if (failed(checkNormalized(*this, "rms_norm", type, getAxis()))) {
    return failure();
  }
  auto row = type.getShape().drop_front(getAxis());
  return success(succeeded(checkParameter(*this, "scale", getScale(), row)) &&
                 succeeded(checkEpsilon(*this, getEpsilon())));
}

LogicalResult GroupNormOp::verify() {
  auto type = getInput().getType();
  if (type.getRank() < 2) {
    return emitOpError("expects input [N, C, ...], got ")
           << shapeText(type.getShape());
  }
  int64_t groups = getGroups(), channels = type.getDimSize(1);
  if (ShapedType::isDynamic(channels)) {
    return emitOpError("expects a number of channels that is known, got ")
           << type;
  }
  if (groups < 1 || channels % groups != 0) {
    return emitOpError("expects groups that divide ")
           << channels << " channels, got " << groups;
  }
  if (failed(checkNormalized(*this, "group_norm", type, 1))) {
    return failure();
  }
  return success(
      succeeded(checkParameter(*this, "scale", getScale(), channels)) &&
      succeeded(checkParameter(*this, "bias", getBias(), channels)) &&
      succeeded(checkEpsilon(*this, getEpsilon())));
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

IterationSpace LogSoftmaxOp::getIterationSpace() {
  return loopsAlongAxis(getInput().getType(), getAxis());
}

/// Rows of the dimensions from `axis` on; all operands but the first are read
/// at a row's index.
static IterationSpace overRows(Operation *op, int64_t axis) {
  auto shape = cast<RankedTensorType>(op->getResult(0).getType()).getShape();
  IterationSpace space = IterationSpace::overElements(shape.take_front(axis));
  for (int64_t extent : shape.drop_front(axis)) {
    space.addReduction(IteratorKind::Reduction, extent);
  }
  auto all = AffineMap::getMultiDimIdentityMap(shape.size(), op->getContext());
  space.operandMaps.push_back(all);
  space.operandMaps.append(op->getNumOperands() - 1,
                           all.getMinorSubMap(shape.size() - axis));
  space.resultMaps.push_back(all);
  return space;
}

IterationSpace LayerNormOp::getIterationSpace() {
  return overRows(*this, getAxis());
}
IterationSpace RmsNormOp::getIterationSpace() {
  return overRows(*this, getAxis());
}

/// N, groups; then a group's channels and what follows them.
IterationSpace GroupNormOp::getIterationSpace() {
  ArrayRef<int64_t> shape = getInput().getType().getShape();
  int64_t groups = getGroups(), perGroup = shape[1] / groups;
  IterationSpace space = IterationSpace::overElements({shape[0], groups});
  space.addReduction(IteratorKind::Reduction, perGroup);
  for (int64_t extent : shape.drop_front(2)) {
    space.addReduction(IteratorKind::Reduction, extent);
  }
  auto dim = [&](unsigned i) { return getAffineDimExpr(i, getContext()); };
  AffineExpr channel = dim(1) * perGroup + dim(2);
  SmallVector<AffineExpr> element = {dim(0), channel};
  for (unsigned i = 3; i < space.rank(); ++i) {
    element.push_back(dim(i));
  }
  auto all = AffineMap::get(space.rank(), 0, element, getContext());
  space.operandMaps.push_back(all);
  space.operandMaps.append(getNumOperands() - 1,
                           AffineMap::get(space.rank(), 0, channel));
  space.resultMaps.push_back(all);
  return space;
}

// Greatest, difference, exponential, sum, difference.
int64_t LogSoftmaxOp::getFlopsPerPoint() { return 5; }
ScalarCost LogSoftmaxOp::getScalarCost() { return ScalarCost::Transcendental; }
// Mean, difference, square, sum, product.
int64_t LayerNormOp::getFlopsPerPoint() { return 4 + getNumOperands(); }
ScalarCost LayerNormOp::getScalarCost() { return ScalarCost::Simple; }
int64_t RmsNormOp::getFlopsPerPoint() { return 2 + getNumOperands(); }
ScalarCost RmsNormOp::getScalarCost() { return ScalarCost::Simple; }
int64_t GroupNormOp::getFlopsPerPoint() { return 4 + getNumOperands(); }
ScalarCost GroupNormOp::getScalarCost() { return ScalarCost::Simple; }

} // namespace minic::graph
