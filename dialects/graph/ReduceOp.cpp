// SPDX-License-Identifier: Apache-2.0
//
// graph.reduce: shape inference, its loops and its arithmetic.

#include "dialects/graph/Graph.h"
#include "dialects/graph/ShapeText.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/TypeUtilities.h"

#include <limits>

using namespace mlir;

namespace minic::graph {

LogicalResult
ReduceOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc,
                           ValueRange operands, DictionaryAttr attributes,
                           OpaqueProperties properties, RegionRange regions,
                           SmallVectorImpl<Type> &types) {
  ReduceOpAdaptor op(operands, attributes, properties, regions);
  auto input = cast<RankedTensorType>(op.getInput().getType());
  ArrayRef<int64_t> axes = op.getAxes();
  bool isAscending =
      llvm::adjacent_find(axes, std::greater_equal<>()) == axes.end();
  if (axes.empty() || !isAscending || axes.front() < 0 ||
      axes.back() >= input.getRank()) {
    return emitOptionalError(
        loc,
        "'graph.reduce' op expects ascending axes, one or more, from 0 to "
        "rank - 1 for ",
        input, ", got ", shapeText(axes));
  }
  if (op.getKind() == ReduceKind::Mean &&
      !isa<FloatType>(input.getElementType())) {
    return emitOptionalError(
        loc, "'graph.reduce' op expects floats to take the mean of, got ",
        input);
  }
  SmallVector<int64_t> shape;
  for (auto [dim, extent] : llvm::enumerate(input.getShape())) {
    if (!llvm::is_contained(axes, int64_t(dim))) {
      shape.push_back(extent);
      continue;
    }
    if (extent == 0) {
      return emitOptionalError(loc,
                               "'graph.reduce' op expects something to reduce "
                               "along axis ",
                               dim, ", got ", input);
    }
    if (op.getKeepDims()) {
      shape.push_back(1);
    }
  }
  types.push_back(RankedTensorType::get(shape, input.getElementType()));
  return success();
}

IterationSpace ReduceOp::getIterationSpace() {
  ArrayRef<int64_t> input = getInput().getType().getShape();
  ArrayRef<int64_t> result = getType().getShape();
  IterationSpace space = IterationSpace::overElements(result);
  SmallVector<unsigned> read;
  unsigned kept = 0;
  for (auto [dim, extent] : llvm::enumerate(input)) {
    bool isReduced = llvm::is_contained(getAxes(), int64_t(dim));
    if (isReduced) {
      read.push_back(space.rank());
      space.addReduction(IteratorKind::Reduction, extent);
    } else {
      read.push_back(kept);
    }
    kept += !isReduced || getKeepDims();
  }
  space.operandMaps = {
      AffineMap::getMultiDimMapWithTargets(space.rank(), read, getContext())};
  auto written = llvm::to_vector(llvm::seq<unsigned>(0, result.size()));
  space.resultMaps = {AffineMap::getMultiDimMapWithTargets(
      space.rank(), written, getContext())};
  return space;
}

int64_t ReduceOp::getFlopsPerPoint() { return 1; }
int64_t ReduceOp::getFlopsPerResult() { return getKind() == ReduceKind::Mean; }

Monoid ReduceOp::getMonoid() {
  static constexpr Monoid monoids[] = {Monoid::Sum, Monoid::Sum, Monoid::Max,
                                       Monoid::Min, Monoid::Product};
  return monoids[size_t(getKind())];
}

/// `number`, or a vector of `shape` filled with it.
static Value emitSplat(OpBuilder &builder, Location loc,
                       ArrayRef<int64_t> shape, TypedAttr number) {
  if (!shape.empty()) {
    number = DenseElementsAttr::get(VectorType::get(shape, number.getType()),
                                    Attribute(number));
  }
  return arith::ConstantOp::create(builder, loc, number);
}

/// What changes no integer of `type`.
static TypedAttr neutralInteger(ReduceKind kind, IntegerType type) {
  unsigned bits = type.getWidth();
  switch (kind) {
  case ReduceKind::Max:
    return IntegerAttr::get(type, APInt::getSignedMinValue(bits));
  case ReduceKind::Min:
    return IntegerAttr::get(type, APInt::getSignedMaxValue(bits));
  default:
    return IntegerAttr::get(type, kind == ReduceKind::Prod);
  }
}

SmallVector<Value> ReduceOp::emitInit(OpBuilder &builder,
                                      ArrayRef<int64_t> shape) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  static constexpr float neutral[] = {0, 0, -infinity, infinity, 1};
  auto integer = dyn_cast<IntegerType>(getType().getElementType());
  TypedAttr number = integer
                         ? neutralInteger(getKind(), integer)
                         : builder.getF32FloatAttr(neutral[size_t(getKind())]);
  return {emitSplat(builder, getLoc(), shape, number)};
}

template <typename Float, typename Integer>
static Value emitBinary(OpBuilder &builder, Location loc, Value lhs,
                        Value rhs) {
  if (isa<FloatType>(getElementTypeOrSelf(lhs.getType()))) {
    return Float::create(builder, loc, lhs, rhs);
  }
  return Integer::create(builder, loc, lhs, rhs);
}

SmallVector<Value> ReduceOp::emitMerge(OpBuilder &builder, ValueRange lhs,
                                       ValueRange rhs) {
  using namespace arith;
  auto emit = emitBinary<AddFOp, AddIOp>;
  switch (getMonoid()) {
  case Monoid::Max:
    emit = emitBinary<MaximumFOp, MaxSIOp>;
    break;
  case Monoid::Min:
    emit = emitBinary<MinimumFOp, MinSIOp>;
    break;
  case Monoid::Product:
    emit = emitBinary<MulFOp, MulIOp>;
    break;
  default:
    break;
  }
  return {emit(builder, getLoc(), lhs[0], rhs[0])};
}

SmallVector<Value> ReduceOp::emitCombine(OpBuilder &builder, ValueRange state,
                                         ValueRange operands, ValueRange) {
  return emitMerge(builder, state, operands);
}

SmallVector<Value> ReduceOp::emitFinish(OpBuilder &builder, ValueRange state,
                                        ValueRange) {
  if (getKind() != ReduceKind::Mean) {
    return {state[0]};
  }
  IterationSpace space = getIterationSpace();
  auto shaped = dyn_cast<ShapedType>(state[0].getType());
  ArrayRef<int64_t> shape = shaped ? shaped.getShape() : ArrayRef<int64_t>();
  int64_t count = llvm::product_of(
      ArrayRef(space.extents).drop_front(space.parallelCount()));
  Value divisor = emitSplat(builder, getLoc(), shape,
                            builder.getF32FloatAttr(float(count)));
  return {arith::DivFOp::create(builder, getLoc(), state[0], divisor)};
}

} // namespace minic::graph
