// SPDX-License-Identifier: Apache-2.0
//
// Ops that choose, place and repeat elements: shape inference, verification
// and loops.

#include "dialects/graph/AxisCheck.h"
#include "dialects/graph/Graph.h"
#include "dialects/graph/ShapeText.h"

#include <limits>

using namespace mlir;

namespace minic::graph {

static RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

/// An identity over the elements of the only result; no operand maps.
static IterationSpace overResult(Operation *op) {
  auto shape = typeOf(op->getResult(0)).getShape();
  IterationSpace space = IterationSpace::overElements(shape);
  space.resultMaps = {
      AffineMap::getMultiDimIdentityMap(shape.size(), op->getContext())};
  return space;
}

/// A scalar of `type`, for what is read outside of a tensor.
static TypedAttr scalarOf(Type type, double value) {
  return isa<FloatType>(type)
             ? TypedAttr(FloatAttr::get(type, value))
             : TypedAttr(IntegerAttr::get(type, int64_t(value)));
}

//===----------------------------------------------------------------------===//
// gather
//===----------------------------------------------------------------------===//

LogicalResult
GatherOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc,
                           ValueRange operands, DictionaryAttr attributes,
                           OpaqueProperties properties, RegionRange regions,
                           SmallVectorImpl<Type> &types) {
  GatherOpAdaptor op(operands, attributes, properties, regions);
  auto input = typeOf(op.getInput()), indices = typeOf(op.getIndices());
  int64_t axis = op.getAxis();
  if (failed(checkNonEmptyAxis(loc, "gather", axis, input))) {
    return failure();
  }
  SmallVector<int64_t> shape(input.getShape().take_front(axis));
  llvm::append_range(shape, indices.getShape());
  llvm::append_range(shape, input.getShape().drop_front(axis + 1));
  types.push_back(input.clone(shape));
  return success();
}

OperandRole GatherOp::getOperandRole(unsigned operand) {
  return operand == 1 ? OperandRole::Index : OperandRole::Data;
}

IterationSpace GatherOp::getIterationSpace() {
  IterationSpace space = overResult(*this);
  auto rank = getIndices().getType().getRank();
  space.operandMaps = {AffineMap(),
                       space.resultMaps[0].getSliceMap(getAxis(), rank)};
  return space;
}

//===----------------------------------------------------------------------===//
// concat
//===----------------------------------------------------------------------===//

LogicalResult
ConcatOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc,
                           ValueRange operands, DictionaryAttr attributes,
                           OpaqueProperties properties, RegionRange regions,
                           SmallVectorImpl<Type> &types) {
  ConcatOpAdaptor op(operands, attributes, properties, regions);
  if (operands.empty()) {
    return emitOptionalError(loc, "'graph.concat' op expects an input, got 0");
  }
  auto first = typeOf(operands[0]);
  int64_t axis = op.getAxis(), extent = 0;
  if (failed(checkAxis(loc, "concat", axis, first))) {
    return failure();
  }
  SmallVector<int64_t> shape(first.getShape());
  for (Value operand : operands) {
    auto type = typeOf(operand);
    if (type.getElementType() != first.getElementType()) {
      return emitOptionalError(
          loc, "'graph.concat' op expects operands of one dtype, got ",
          first.getElementType(), " and ", type.getElementType());
    }
    SmallVector<int64_t> expected(first.getShape());
    if (type.getRank() == first.getRank()) {
      expected[axis] = type.getDimSize(axis);
    }
    if (!mayAgree(type.getShape(), expected)) {
      return emitOptionalError(
          loc, "'graph.concat' op expects shapes that agree but for axis ",
          axis, ", got ", shapeText(first.getShape()), " and ",
          shapeText(type.getShape()));
    }
    bool isKnown = !ShapedType::isDynamic(extent) && !type.isDynamicDim(axis);
    extent = isKnown ? extent + type.getDimSize(axis) : ShapedType::kDynamic;
  }
  shape[axis] = extent;
  types.push_back(first.clone(shape));
  return success();
}

IterationSpace ConcatOp::getIterationSpace() {
  IterationSpace space = overResult(*this);
  int64_t axis = getAxis(), offset = 0;
  for (Value input : getInputs()) {
    AffineMap map = space.resultMaps[0];
    if (ShapedType::isDynamic(offset)) {
      space.operandMaps.push_back(AffineMap());
      continue;
    }
    SmallVector<AffineExpr> index(map.getResults());
    index[axis] = index[axis] - offset;
    space.operandMaps.push_back(
        AffineMap::get(space.rank(), 0, index, getContext()));
    int64_t extent = typeOf(input).getDimSize(axis);
    offset = ShapedType::isDynamic(extent) ? extent : offset + extent;
  }
  return space;
}

TypedAttr ConcatOp::getPaddingValue(unsigned) {
  return scalarOf(typeOf(getResult()).getElementType(), 0);
}

//===----------------------------------------------------------------------===//
// slice and pad
//===----------------------------------------------------------------------===//

/// One number per dimension of `type` in a list.
static LogicalResult checkCount(std::optional<Location> loc, StringRef op,
                                StringRef name, ArrayRef<int64_t> list,
                                RankedTensorType type) {
  if (int64_t(list.size()) == type.getRank()) {
    return success();
  }
  return emitOptionalError(loc, "'graph.", op, "' op expects ", type.getRank(),
                           " ", name, ", one per dimension, got ", list.size());
}

LogicalResult
SliceOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc,
                          ValueRange operands, DictionaryAttr attributes,
                          OpaqueProperties properties, RegionRange regions,
                          SmallVectorImpl<Type> &types) {
  SliceOpAdaptor op(operands, attributes, properties, regions);
  auto input = typeOf(op.getInput());
  if (failed(checkCount(loc, "slice", "starts", op.getStarts(), input)) ||
      failed(checkCount(loc, "slice", "ends", op.getEnds(), input)) ||
      failed(checkCount(loc, "slice", "steps", op.getSteps(), input))) {
    return failure();
  }
  SmallVector<int64_t> shape;
  for (auto [dim, extent] : llvm::enumerate(input.getShape())) {
    int64_t start = op.getStarts()[dim], end = op.getEnds()[dim];
    int64_t step = op.getSteps()[dim];
    int64_t limit = ShapedType::isDynamic(extent)
                        ? std::numeric_limits<int64_t>::max()
                        : extent;
    if (start < 0 || start > end || end > limit || step < 1) {
      return emitOptionalError(
          loc,
          "'graph.slice' op expects 0 <= start <= end <= extent and a step of "
          "1 or more, got ",
          start, " to ", end, " by ", step, " in dimension ", dim, " of ",
          input);
    }
    shape.push_back((end - start) / step + ((end - start) % step != 0));
  }
  types.push_back(input.clone(shape));
  return success();
}

IterationSpace SliceOp::getIterationSpace() {
  IterationSpace space = overResult(*this);
  SmallVector<AffineExpr> index;
  for (auto [dim, start, step] : llvm::zip_equal(
           space.resultMaps[0].getResults(), getStarts(), getSteps())) {
    index.push_back(dim * step + start);
  }
  space.operandMaps = {AffineMap::get(space.rank(), 0, index, getContext())};
  return space;
}

LogicalResult
PadOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc,
                        ValueRange operands, DictionaryAttr attributes,
                        OpaqueProperties properties, RegionRange regions,
                        SmallVectorImpl<Type> &types) {
  PadOpAdaptor op(operands, attributes, properties, regions);
  auto input = typeOf(op.getInput());
  if (failed(checkCount(loc, "pad", "extents before", op.getBefore(), input)) ||
      failed(checkCount(loc, "pad", "extents after", op.getAfter(), input))) {
    return failure();
  }
  SmallVector<int64_t> shape;
  for (auto [extent, before, after] :
       llvm::zip_equal(input.getShape(), op.getBefore(), op.getAfter())) {
    int64_t most = std::numeric_limits<int32_t>::max();
    if (before < 0 || after < 0 || before > most || after > most) {
      return emitOptionalError(loc, "'graph.pad' op expects extents from 0 to ",
                               most, ", got ", shapeText(op.getBefore()),
                               " before and ", shapeText(op.getAfter()),
                               " after");
    }
    shape.push_back(ShapedType::isDynamic(extent) ? extent
                                                  : extent + before + after);
  }
  types.push_back(input.clone(shape));
  return success();
}

/// What a reflection or an edge repeats must be there.
static LogicalResult checkRepeated(PadOp op) {
  bool isEdge = op.getMode() == PadMode::Edge;
  for (auto [dim, extent, before, after] : llvm::enumerate(
           op.getInput().getType().getShape(), op.getBefore(), op.getAfter())) {
    int64_t most = std::max(before, after);
    bool hasEnough = ShapedType::isDynamic(extent) || most == 0 ||
                     (isEdge ? extent > 0 : most < extent);
    if (!hasEnough) {
      return op.emitOpError("expects ")
             << (isEdge ? "elements to repeat"
                        : "reflections smaller than the input")
             << ", got " << before << " before and " << after
             << " after extent " << extent << " in dimension " << dim;
    }
  }
  return success();
}

LogicalResult PadOp::verify() {
  Type dtype = getInput().getType().getElementType();
  double value = getValue().convertToDouble();
  if (getMode() != PadMode::Constant) {
    return value == 0 ? checkRepeated(*this)
                      : emitOpError("expects no value with mode ")
                            << stringifyPadMode(getMode()) << ", got " << value;
  }
  if (isa<FloatType>(dtype)) {
    return success();
  }
  // An i1 is 0 or 1.
  bool isSigned = !dtype.isInteger(1) && !dtype.isUnsignedInteger();
  int bits = std::min(dtype.getIntOrFloatBitWidth(), 53u);
  double limit = std::ldexp(1.0, bits - isSigned);
  double least = isSigned ? -limit : 0;
  if (value != std::trunc(value) || value < least || value >= limit) {
    return emitOpError("expects a value of dtype ")
           << dtype << ", got " << value;
  }
  return success();
}

IterationSpace PadOp::getIterationSpace() {
  IterationSpace space = overResult(*this);
  if (saysReads()) {
    space.operandMaps = {AffineMap()};
    return space;
  }
  SmallVector<AffineExpr> index;
  for (auto [dim, before] :
       llvm::zip_equal(space.resultMaps[0].getResults(), getBefore())) {
    index.push_back(dim - before);
  }
  space.operandMaps = {AffineMap::get(space.rank(), 0, index, getContext())};
  return space;
}

TypedAttr PadOp::getPaddingValue(unsigned) {
  if (saysReads()) {
    return {};
  }
  Type dtype = getInput().getType().getElementType();
  return scalarOf(dtype, getValue().convertToDouble());
}

//===----------------------------------------------------------------------===//
// broadcast and iota
//===----------------------------------------------------------------------===//

LogicalResult BroadcastOp::verify() {
  auto input = typeOf(getInput()), result = typeOf(getResult());
  if (input.getElementType() != result.getElementType()) {
    return emitOpError("expects the dtype to stay ")
           << input.getElementType() << ", got " << result.getElementType();
  }
  auto merged = broadcastShapes(input.getShape(), result.getShape());
  if (input.getRank() > result.getRank() || failed(merged) ||
      !mayAgree(*merged, result.getShape())) {
    return emitOpError("expects a shape that ")
           << shapeText(input.getShape()) << " broadcasts to, got "
           << shapeText(result.getShape());
  }
  return success();
}

OpFoldResult BroadcastOp::fold(FoldAdaptor) {
  return getInput().getType() == getType() ? getInput() : Value();
}

IterationSpace BroadcastOp::getIterationSpace() {
  IterationSpace space = overResult(*this);
  space.operandMaps = {getBroadcastMap(
      typeOf(getInput()).getShape(), space.rank(), space.rank(), getContext())};
  return space;
}

LogicalResult IotaOp::verify() {
  return checkAxis(getLoc(), "iota", getAxis(), getType());
}

IterationSpace IotaOp::getIterationSpace() { return overResult(*this); }

//===----------------------------------------------------------------------===//
// cache_update
//===----------------------------------------------------------------------===//

LogicalResult CacheUpdateOp::inferReturnTypes(
    MLIRContext *, std::optional<Location> loc, ValueRange operands,
    DictionaryAttr attributes, OpaqueProperties properties, RegionRange regions,
    SmallVectorImpl<Type> &types) {
  CacheUpdateOpAdaptor op(operands, attributes, properties, regions);
  auto cache = typeOf(op.getCache()), update = typeOf(op.getUpdate());
  auto position = typeOf(op.getPosition());
  int64_t axis = op.getAxis();
  if (failed(checkAxis(loc, "cache_update", axis, cache))) {
    return failure();
  }
  if (cache.getElementType() != update.getElementType()) {
    return emitOptionalError(
        loc, "'graph.cache_update' op expects operands of one dtype, got ",
        cache.getElementType(), " and ", update.getElementType());
  }
  SmallVector<int64_t> expected(cache.getShape());
  if (update.getRank() == cache.getRank()) {
    expected[axis] = update.getDimSize(axis);
  }
  bool fits =
      mayAgree(update.getShape(), expected) &&
      (ShapedType::isDynamic(expected[axis]) || cache.isDynamicDim(axis) ||
       expected[axis] <= cache.getDimSize(axis));
  if (!fits) {
    return emitOptionalError(
        loc, "'graph.cache_update' op expects an update that fits ",
        shapeText(cache.getShape()), " along axis ", axis, ", got ",
        shapeText(update.getShape()));
  }
  if (position.getRank() != 0) {
    return emitOptionalError(
        loc, "'graph.cache_update' op expects position [], got ",
        shapeText(position.getShape()));
  }
  types.push_back(cache);
  return success();
}

OperandRole CacheUpdateOp::getOperandRole(unsigned operand) {
  return operand == 2 ? OperandRole::Index : OperandRole::Data;
}

IterationSpace CacheUpdateOp::getIterationSpace() {
  IterationSpace space = overResult(*this);
  space.operandMaps = {space.resultMaps[0], AffineMap(),
                       AffineMap::get(space.rank(), 0, getContext())};
  return space;
}

} // namespace minic::graph
