// SPDX-License-Identifier: Apache-2.0
//
// linear, matmul and conv2d as loops: iteration spaces, and a multiply-add per
// point.

#include "dialects/graph/Graph.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace minic::graph {

static ArrayRef<int64_t> shapeOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

/// Result dims, then `reductions`, with a result map; operand maps are left.
static IterationSpace
overResult(Operation *op,
           ArrayRef<std::pair<IteratorKind, int64_t>> reductions) {
  ArrayRef<int64_t> shape = shapeOf(op->getResult(0));
  IterationSpace space = IterationSpace::overElements(shape);
  for (auto [kind, extent] : reductions) {
    space.addReduction(kind, extent);
  }
  auto all = AffineMap::getMultiDimIdentityMap(space.rank(), op->getContext());
  space.resultMaps.push_back(all.getMajorSubMap(shape.size()));
  return space;
}

/// Reads at iterators `dims`, one per dimension of the operand.
static AffineMap readAt(const IterationSpace &space, ArrayRef<unsigned> dims,
                        MLIRContext *context) {
  return AffineMap::getMultiDimMapWithTargets(space.rank(), dims, context);
}

IterationSpace LinearOp::getIterationSpace() {
  unsigned n = shapeOf(getResult()).size() - 1, k = n + 1;
  IterationSpace space =
      overResult(*this, {{IteratorKind::Reduction, shapeOf(getWeight())[1]}});
  auto rows = llvm::to_vector(llvm::seq<unsigned>(0, n));
  rows.push_back(k);
  space.operandMaps = {readAt(space, rows, getContext()),
                       readAt(space, {n, k}, getContext())};
  if (getBias()) {
    space.operandMaps.push_back(readAt(space, {n}, getContext()));
  }
  return space;
}

IterationSpace MatmulOp::getIterationSpace() {
  ArrayRef<int64_t> lhs = shapeOf(getLhs()), rhs = shapeOf(getRhs());
  unsigned batch = shapeOf(getResult()).size() - 2;
  unsigned m = batch, n = batch + 1, k = batch + 2;
  IterationSpace space = overResult(
      *this, {{IteratorKind::Reduction,
               getTransposeLhs() ? lhs[lhs.size() - 2] : lhs.back()}});
  auto read = [&](ArrayRef<int64_t> shape, unsigned row, unsigned column,
                  bool isTransposed) {
    if (isTransposed) {
      std::swap(row, column);
    }
    AffineMap map =
        getBroadcastMap(shape.drop_back(2), batch, space.rank(), getContext());
    map = map.insertResult(getAffineDimExpr(row, getContext()),
                           map.getNumResults());
    return map.insertResult(getAffineDimExpr(column, getContext()),
                            map.getNumResults());
  };
  space.operandMaps = {read(lhs, m, k, getTransposeLhs()),
                       read(rhs, k, n, getTransposeRhs())};
  return space;
}

IterationSpace Conv2dOp::getIterationSpace() {
  Conv2dGeometry g = getGeometry();
  IterationSpace space =
      overResult(*this, {{IteratorKind::Reduction, shapeOf(getFilter())[1]},
                         {IteratorKind::Window, g.filterHeight},
                         {IteratorKind::Window, g.filterWidth}});
  bool isNhwc = g.layout == ImageLayout::NHWC;
  auto dim = [&](unsigned i) { return getAffineDimExpr(i, getContext()); };
  AffineExpr n = dim(0), k = dim(isNhwc ? 3 : 1), p = dim(isNhwc ? 1 : 2);
  AffineExpr q = dim(isNhwc ? 2 : 3), c = dim(4), r = dim(5), s = dim(6);
  AffineExpr channel = c;
  if (g.groups != 1) {
    channel =
        k.floorDiv(g.outputChannelsPerGroup()) * g.inputChannelsPerGroup() + c;
  }
  AffineExpr y = p * g.strideHeight + r * g.dilationHeight - g.padTop;
  AffineExpr x = q * g.strideWidth + s * g.dilationWidth - g.padLeft;
  auto map = [&](ArrayRef<AffineExpr> indices) {
    return AffineMap::get(space.rank(), 0, indices, getContext());
  };
  space.operandMaps = {isNhwc ? map({n, y, x, channel})
                              : map({n, channel, y, x}),
                       map({k, c, r, s})};
  if (getBias()) {
    space.operandMaps.push_back(map({k}));
  }
  return space;
}

TypedAttr Conv2dOp::getPaddingValue(unsigned operand) {
  return operand == 0 ? TypedAttr(FloatAttr::get(
                            getInput().getType().getElementType(), 0))
                      : nullptr;
}

/// For an op whose operands are data, weight and perhaps a bias.
static OperandRole roleOf(unsigned operand) {
  static constexpr OperandRole roles[] = {
      OperandRole::Data, OperandRole::Weight, OperandRole::Bias};
  return roles[operand];
}

/// Sums of i8 are i32; all others f32.
static Type sumType(Operation *op, MLIRContext *context) {
  bool isInteger = getElementTypeOrSelf(op->getResult(0)).isInteger();
  return isInteger ? Type(IntegerType::get(context, 32))
                   : Type(Float32Type::get(context));
}

static Value emitZero(OpBuilder &builder, Operation *op,
                      ArrayRef<int64_t> shape) {
  TypedAttr zero = builder.getZeroAttr(sumType(op, builder.getContext()));
  if (!shape.empty()) {
    zero = DenseElementsAttr::get(VectorType::get(shape, zero.getType()),
                                  Attribute(zero));
  }
  return arith::ConstantOp::create(builder, op->getLoc(), zero);
}

static Value emitSum(OpBuilder &builder, Location loc, Value lhs, Value rhs) {
  return getElementTypeOrSelf(lhs).isInteger()
             ? Value(arith::AddIOp::create(builder, loc, lhs, rhs))
             : Value(arith::AddFOp::create(builder, loc, lhs, rhs));
}

static Value emitProductSum(OpBuilder &builder, Location loc, Value lhs,
                            Value rhs, Value sum) {
  if (!getElementTypeOrSelf(sum).isInteger()) {
    return math::FmaOp::create(builder, loc, lhs, rhs, sum);
  }
  auto widen = [&](Value value) {
    return arith::ExtSIOp::create(builder, loc, sum.getType(), value);
  };
  Value product = arith::MulIOp::create(builder, loc, widen(lhs), widen(rhs));
  return arith::AddIOp::create(builder, loc, product, sum);
}

#define MINIC_SUM_OF_PRODUCTS(Op)                                              \
  OperandRole Op::getOperandRole(unsigned operand) { return roleOf(operand); } \
  int64_t Op::getFlopsPerPoint() { return 2; }                                 \
  int64_t Op::getFlopsPerResult() { return getNumOperands() > 2; }             \
  Monoid Op::getMonoid() { return Monoid::Sum; }                               \
  SmallVector<Value> Op::emitInit(OpBuilder &builder,                          \
                                  ArrayRef<int64_t> shape) {                   \
    return {emitZero(builder, *this, shape)};                                  \
  }                                                                            \
  SmallVector<Value> Op::emitCombine(OpBuilder &builder, ValueRange state,     \
                                     ValueRange operands, ValueRange) {        \
    return {emitProductSum(builder, getLoc(), operands[0], operands[1],        \
                           state[0])};                                         \
  }                                                                            \
  SmallVector<Value> Op::emitMerge(OpBuilder &builder, ValueRange lhs,         \
                                   ValueRange rhs) {                           \
    return {emitSum(builder, getLoc(), lhs[0], rhs[0])};                       \
  }                                                                            \
  SmallVector<Value> Op::emitFinish(OpBuilder &builder, ValueRange state,      \
                                    ValueRange operands) {                     \
    if (operands.size() <= 2) {                                                \
      return {state[0]};                                                       \
    }                                                                          \
    return {emitSum(builder, getLoc(), state[0], operands[2])};                \
  }
MINIC_SUM_OF_PRODUCTS(LinearOp)
MINIC_SUM_OF_PRODUCTS(MatmulOp)
MINIC_SUM_OF_PRODUCTS(Conv2dOp)
#undef MINIC_SUM_OF_PRODUCTS

} // namespace minic::graph
