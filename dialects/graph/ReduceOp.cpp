// SPDX-License-Identifier: Apache-2.0
//
// graph.reduce: shape inference, its loops and its arithmetic.

#include "dialects/graph/Graph.h"
#include "dialects/graph/ShapeText.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

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

static Value emitSplat(OpBuilder &builder, Location loc,
                       ArrayRef<int64_t> shape, float value) {
  TypedAttr attr = builder.getF32FloatAttr(value);
  if (!shape.empty()) {
    attr = DenseElementsAttr::get(VectorType::get(shape, builder.getF32Type()),
                                  Attribute(attr));
  }
  return arith::ConstantOp::create(builder, loc, attr);
}

SmallVector<Value> ReduceOp::emitInit(OpBuilder &builder,
                                      ArrayRef<int64_t> shape) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  static constexpr float neutral[] = {0, 0, -infinity, infinity, 1};
  return {emitSplat(builder, getLoc(), shape, neutral[size_t(getKind())])};
}

SmallVector<Value> ReduceOp::emitMerge(OpBuilder &builder, ValueRange lhs,
                                       ValueRange rhs) {
  switch (getMonoid()) {
  case Monoid::Max:
    return {arith::MaximumFOp::create(builder, getLoc(), lhs[0], rhs[0])};
  case Monoid::Min:
    return {arith::MinimumFOp::create(builder, getLoc(), lhs[0], rhs[0])};
  case Monoid::Product:
    return {arith::MulFOp::create(builder, getLoc(), lhs[0], rhs[0])};
  default:
    return {arith::AddFOp::create(builder, getLoc(), lhs[0], rhs[0])};
  }
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
  Value divisor = emitSplat(builder, getLoc(), shape, float(count));
  return {arith::DivFOp::create(builder, getLoc(), state[0], divisor)};
}

} // namespace minic::graph
