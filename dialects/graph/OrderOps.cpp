// SPDX-License-Identifier: Apache-2.0
//
// arg_reduce, top_k and cumsum: shape inference, verification, loops and
// arithmetic.

#include "dialects/graph/AxisCheck.h"
#include "dialects/graph/EmitOrder.h"
#include "dialects/graph/Graph.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/TypeUtilities.h"

#include <limits>

using namespace mlir;

namespace minic::graph {

static RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

/// `element`, or a vector of `shape`, filled with `attr`.
static Value emitSplat(OpBuilder &builder, Location loc, TypedAttr attr,
                       ArrayRef<int64_t> shape) {
  if (!shape.empty()) {
    attr = DenseElementsAttr::get(VectorType::get(shape, attr.getType()),
                                  Attribute(attr));
  }
  return arith::ConstantOp::create(builder, loc, attr);
}

/// The compute type of `dtype`.
static Type computeType(Type dtype) {
  return isa<FloatType>(dtype) ? Float32Type::get(dtype.getContext()) : dtype;
}

//===----------------------------------------------------------------------===//
// arg_reduce
//===----------------------------------------------------------------------===//

LogicalResult
ArgReduceOp::inferReturnTypes(MLIRContext *context, std::optional<Location> loc,
                              ValueRange operands, DictionaryAttr attributes,
                              OpaqueProperties properties, RegionRange regions,
                              SmallVectorImpl<Type> &types) {
  ArgReduceOpAdaptor op(operands, attributes, properties, regions);
  auto input = typeOf(op.getInput());
  int64_t axis = op.getAxis();
  if (failed(checkNonEmptyAxis(loc, "arg_reduce", axis, input))) {
    return failure();
  }
  SmallVector<int64_t> shape(input.getShape());
  if (op.getKeepDims()) {
    shape[axis] = 1;
  } else {
    shape.erase(shape.begin() + axis);
  }
  types.push_back(RankedTensorType::get(shape, IntegerType::get(context, 64)));
  return success();
}

IterationSpace ArgReduceOp::getIterationSpace() {
  ArrayRef<int64_t> input = getInput().getType().getShape();
  auto result = typeOf(getResult()).getShape();
  IterationSpace space = IterationSpace::overElements(result);
  space.addReduction(IteratorKind::Reduction, input[getAxis()]);
  SmallVector<unsigned> read;
  unsigned kept = 0;
  for (int64_t dim = 0; dim < int64_t(input.size()); ++dim) {
    bool isAxis = dim == int64_t(getAxis());
    read.push_back(isAxis ? result.size() : kept);
    kept += !isAxis || getKeepDims();
  }
  space.operandMaps = {
      AffineMap::getMultiDimMapWithTargets(space.rank(), read, getContext())};
  space.resultMaps = {
      AffineMap::getMultiDimIdentityMap(space.rank(), getContext())
          .getMajorSubMap(result.size())};
  return space;
}

int64_t ArgReduceOp::getFlopsPerPoint() { return 1; }
Monoid ArgReduceOp::getMonoid() { return Monoid::Other; }
bool ArgReduceOp::needsIndices() { return true; }

/// The value, and its index; -1 as long as there is none.
SmallVector<Value> ArgReduceOp::emitInit(OpBuilder &builder,
                                         ArrayRef<int64_t> shape) {
  Type type = computeType(getInput().getType().getElementType());
  auto zero = cast<TypedAttr>(builder.getZeroAttr(type));
  return {emitSplat(builder, getLoc(), zero, shape),
          emitSplat(builder, getLoc(), builder.getI64IntegerAttr(-1), shape)};
}

Value emitIsBetter(OpBuilder &b, Location loc, bool isMax, Value x, Value y) {
  if (!isa<FloatType>(getElementTypeOrSelf(x.getType()))) {
    return arith::CmpIOp::create(
        b, loc, isMax ? arith::CmpIPredicate::sgt : arith::CmpIPredicate::slt,
        x, y);
  }
  using F = arith::CmpFPredicate;
  // NaN comes before all but NaN.
  Value isNan = arith::CmpFOp::create(b, loc, F::UNO, x, x);
  Value hasNumber = arith::CmpFOp::create(b, loc, F::ORD, y, y);
  Value isFirstNan = arith::AndIOp::create(b, loc, isNan, hasNumber);
  Value isBeyond = arith::CmpFOp::create(b, loc, isMax ? F::OGT : F::OLT, x, y);
  return arith::OrIOp::create(b, loc, isFirstNan, isBeyond);
}

SmallVector<Value> ArgReduceOp::emitMerge(OpBuilder &b, ValueRange lhs,
                                          ValueRange rhs) {
  Location loc = getLoc();
  bool isMax = getExtreme() == Extreme::Max;
  auto compare = [&](arith::CmpIPredicate predicate, Value x, Value y) {
    return Value(arith::CmpIOp::create(b, loc, predicate, x, y));
  };
  using I = arith::CmpIPredicate;
  // An index of -1 is that of a state without elements.
  Value none = arith::ConstantOp::create(
      b, loc, cast<TypedAttr>(b.getZeroAttr(lhs[1].getType())));
  Value lhsIsEmpty = compare(I::slt, lhs[1], none);
  Value rhsIsFull = compare(I::sge, rhs[1], none);
  Value isBetter = emitIsBetter(b, loc, isMax, rhs[0], lhs[0]);
  Value isWorse = emitIsBetter(b, loc, isMax, lhs[0], rhs[0]);
  Value isEarlier = compare(I::slt, rhs[1], lhs[1]);
  // Better, or equal and earlier.
  Value one = arith::CmpIOp::create(b, loc, I::eq, isWorse, isWorse);
  Value isNotWorse = arith::XOrIOp::create(b, loc, isWorse, one);
  Value isEqualAndEarlier =
      arith::AndIOp::create(b, loc, isNotWorse, isEarlier);
  Value wins = arith::OrIOp::create(b, loc, isBetter, isEqualAndEarlier);
  wins = arith::OrIOp::create(b, loc, wins, lhsIsEmpty);
  wins = arith::AndIOp::create(b, loc, wins, rhsIsFull);
  return {arith::SelectOp::create(b, loc, wins, rhs[0], lhs[0]),
          arith::SelectOp::create(b, loc, wins, rhs[1], lhs[1])};
}

SmallVector<Value> ArgReduceOp::emitCombine(OpBuilder &builder,
                                            ValueRange state,
                                            ValueRange operands,
                                            ValueRange indices) {
  return emitMerge(builder, state, {operands[0], indices[0]});
}

SmallVector<Value> ArgReduceOp::emitFinish(OpBuilder &, ValueRange state,
                                           ValueRange) {
  return {state[1]};
}

//===----------------------------------------------------------------------===//
// top_k
//===----------------------------------------------------------------------===//

LogicalResult
TopKOp::inferReturnTypes(MLIRContext *context, std::optional<Location> loc,
                         ValueRange operands, DictionaryAttr attributes,
                         OpaqueProperties properties, RegionRange regions,
                         SmallVectorImpl<Type> &types) {
  TopKOpAdaptor op(operands, attributes, properties, regions);
  auto input = typeOf(op.getInput());
  int64_t axis = op.getAxis(), k = op.getK();
  if (failed(checkNonEmptyAxis(loc, "top_k", axis, input))) {
    return failure();
  }
  int64_t extent = input.getDimSize(axis);
  if (k < 1 || (!ShapedType::isDynamic(extent) && k > extent)) {
    return emitOptionalError(loc, "'graph.top_k' op expects k from 1 to ",
                             extent, ", got ", k);
  }
  SmallVector<int64_t> shape(input.getShape());
  shape[axis] = k;
  types.push_back(input.clone(shape));
  types.push_back(RankedTensorType::get(shape, IntegerType::get(context, 64)));
  return success();
}

IterationSpace TopKOp::getIterationSpace() {
  auto shape = typeOf(getValues()).getShape();
  IterationSpace space = IterationSpace::overElements(shape);
  int64_t extent = getInput().getType().getDimSize(getAxis());
  space.addReduction(IteratorKind::Reduction, extent);
  auto all = AffineMap::getMultiDimIdentityMap(space.rank(), getContext());
  SmallVector<AffineExpr> read(all.getResults().drop_back());
  read[getAxis()] = all.getResults().back();
  space.operandMaps = {AffineMap::get(space.rank(), 0, read, getContext())};
  space.resultMaps.assign(2, all.getMajorSubMap(shape.size()));
  return space;
}

//===----------------------------------------------------------------------===//
// cumsum
//===----------------------------------------------------------------------===//

LogicalResult CumsumOp::verify() {
  return checkAxis(getLoc(), "cumsum", getAxis(), getInput().getType());
}

/// A window over what is before each element, and padding before the first.
IterationSpace CumsumOp::getIterationSpace() {
  ArrayRef<int64_t> shape = getInput().getType().getShape();
  IterationSpace space = IterationSpace::overElements(shape);
  space.addReduction(IteratorKind::Window, shape[getAxis()]);
  auto all = AffineMap::getMultiDimIdentityMap(space.rank(), getContext());
  SmallVector<AffineExpr> read(all.getResults().drop_back());
  AffineExpr away = all.getResults().back() + int64_t(getExclusive());
  read[getAxis()] =
      getReverse() ? read[getAxis()] + away : read[getAxis()] - away;
  space.operandMaps = {AffineMap::get(space.rank(), 0, read, getContext())};
  space.resultMaps = {all.getMajorSubMap(shape.size())};
  return space;
}

TypedAttr CumsumOp::getPaddingValue(unsigned) {
  Type dtype = getInput().getType().getElementType();
  return cast<TypedAttr>(Builder(getContext()).getZeroAttr(dtype));
}

int64_t CumsumOp::getFlopsPerPoint() { return 1; }
Monoid CumsumOp::getMonoid() { return Monoid::Sum; }

SmallVector<Value> CumsumOp::emitInit(OpBuilder &builder,
                                      ArrayRef<int64_t> shape) {
  Type type = computeType(getInput().getType().getElementType());
  auto zero = cast<TypedAttr>(builder.getZeroAttr(type));
  return {emitSplat(builder, getLoc(), zero, shape)};
}

SmallVector<Value> CumsumOp::emitMerge(OpBuilder &builder, ValueRange lhs,
                                       ValueRange rhs) {
  if (isa<FloatType>(getElementTypeOrSelf(lhs[0].getType()))) {
    return {arith::AddFOp::create(builder, getLoc(), lhs[0], rhs[0])};
  }
  return {arith::AddIOp::create(builder, getLoc(), lhs[0], rhs[0])};
}

SmallVector<Value> CumsumOp::emitCombine(OpBuilder &builder, ValueRange state,
                                         ValueRange operands, ValueRange) {
  return emitMerge(builder, state, operands);
}

SmallVector<Value> CumsumOp::emitFinish(OpBuilder &, ValueRange state,
                                        ValueRange) {
  return {state[0]};
}

} // namespace minic::graph
