// SPDX-License-Identifier: Apache-2.0
//
// The elements of gather, concat, iota, cache_update and rotary.

#include "dialects/graph/InPlace.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace minic::graph {

namespace {

/// Integer arithmetic on i64, and branches, at one place.
struct Emitter {
  OpBuilder &b;
  Location loc;

  using Compare = arith::CmpIPredicate;

  Value i64(int64_t value) {
    return arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(value));
  }
  Value add(Value x, int64_t y) {
    return y == 0 ? x : Value(arith::AddIOp::create(b, loc, x, i64(y)));
  }
  Value compare(Compare predicate, Value x, int64_t y) {
    return arith::CmpIOp::create(b, loc, predicate, x, i64(y));
  }
  Value select(Value condition, Value x, Value y) {
    return arith::SelectOp::create(b, loc, condition, x, y);
  }

  /// The element that `then` builds where `condition` holds, else `otherwise`.
  Value branch(Value condition, Type type, function_ref<Value()> then,
               function_ref<Value()> otherwise) {
    auto branch = scf::IfOp::create(b, loc, type, condition,
                                    /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    scf::YieldOp::create(b, loc, then());
    b.setInsertionPointToStart(branch.elseBlock());
    scf::YieldOp::create(b, loc, otherwise());
    return branch.getResult(0);
  }
};

ArrayRef<int64_t> shapeOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

Type computeType(Value value) {
  Type dtype = cast<RankedTensorType>(value.getType()).getElementType();
  return isa<FloatType>(dtype) ? Float32Type::get(dtype.getContext()) : dtype;
}

} // namespace

Value emitClampedIndex(OpBuilder &b, Location loc, ElementAccess &access,
                       Value index, int64_t last) {
  Emitter emit{b, loc};
  if (!index.getType().isInteger(64)) {
    index = arith::ExtSIOp::create(b, loc, b.getI64Type(), index);
  }
  // A negative one is a large number without its sign.
  access.report(emit.compare(Emitter::Compare::ugt, index, last));
  index = arith::MaxSIOp::create(b, loc, index, emit.i64(0));
  return arith::MinSIOp::create(b, loc, index, emit.i64(last));
}

SmallVector<Value> GatherOp::emitElements(OpBuilder &builder,
                                          ElementAccess &access,
                                          ValueRange indices) {
  int64_t axis = getAxis(), rank = getIndices().getType().getRank();
  int64_t last = getInput().getType().getDimSize(axis) - 1;
  Value chosen = access.read(1, indices.slice(axis, rank));
  SmallVector<Value> from(indices.take_front(axis));
  from.push_back(emitClampedIndex(builder, getLoc(), access, chosen, last));
  llvm::append_range(from, indices.drop_front(axis + rank));
  return {access.read(0, from)};
}

namespace {

/// An input of a concat with elements, and where along the axis it begins.
struct Piece {
  unsigned operand;
  int64_t begin;
};

/// Bisects `pieces`, which contain the element.
Value emitPieces(ConcatOp op, Emitter &emit, ElementAccess &access,
                 ValueRange indices, ArrayRef<Piece> pieces) {
  size_t axis = op.getAxis();
  if (pieces.size() == 1) {
    SmallVector<Value> from(indices);
    from[axis] = emit.add(from[axis], -pieces[0].begin);
    return access.read(pieces[0].operand, from);
  }
  auto [first, second] = std::pair(pieces.take_front(pieces.size() / 2),
                                   pieces.drop_front(pieces.size() / 2));
  Value isFirst =
      emit.compare(Emitter::Compare::slt, indices[axis], second.front().begin);
  return emit.branch(
      isFirst, computeType(op.getResult()),
      [&] { return emitPieces(op, emit, access, indices, first); },
      [&] { return emitPieces(op, emit, access, indices, second); });
}

} // namespace

SmallVector<Value> ConcatOp::emitElements(OpBuilder &builder,
                                          ElementAccess &access,
                                          ValueRange indices) {
  Emitter emit{builder, getLoc()};
  SmallVector<Piece> pieces;
  int64_t begin = 0;
  for (auto [operand, input] : llvm::enumerate(getInputs())) {
    int64_t extent = shapeOf(input)[getAxis()];
    if (extent != 0) {
      pieces.push_back({unsigned(operand), begin});
    }
    begin += extent;
  }
  if (pieces.empty()) { // nothing is ever read
    auto zero = cast<TypedAttr>(builder.getZeroAttr(computeType(getResult())));
    return {arith::ConstantOp::create(builder, getLoc(), zero)};
  }
  return {emitPieces(*this, emit, access, indices, pieces)};
}

SmallVector<Value> IotaOp::emitElements(OpBuilder &builder, ElementAccess &,
                                        ValueRange indices) {
  Value index = indices[getAxis()];
  Type type = computeType(getResult());
  if (isa<FloatType>(type)) {
    return {arith::SIToFPOp::create(builder, getLoc(), type, index)};
  }
  return {type.isInteger(64)
              ? index
              : Value(arith::TruncIOp::create(builder, getLoc(), type, index))};
}

Value emitUpdateBegin(CacheUpdateOp op, OpBuilder &builder,
                      ElementAccess &access) {
  size_t axis = op.getAxis();
  int64_t last = shapeOf(op.getCache())[axis] - shapeOf(op.getUpdate())[axis];
  return emitClampedIndex(builder, op.getLoc(), access, access.read(2, {}),
                          last);
}

SmallVector<Value> CacheUpdateOp::emitElements(OpBuilder &builder,
                                               ElementAccess &access,
                                               ValueRange indices) {
  Emitter emit{builder, getLoc()};
  size_t axis = getAxis();
  int64_t length = shapeOf(getUpdate())[axis];
  Value begin = emitUpdateBegin(*this, builder, access);
  SmallVector<Value> from(indices);
  from[axis] = arith::SubIOp::create(builder, getLoc(), from[axis], begin);
  // Before the update it is a large number without its sign.
  Value isFresh = emit.compare(Emitter::Compare::ult, from[axis], length);
  return {emit.branch(
      isFresh, computeType(getResult()), [&] { return access.read(1, from); },
      [&] { return access.read(0, indices); })};
}

/// The element of a pair: its own times the cosine, and the other's times the
/// sine, which is negative for the first of the two.
static Value emitRotated(RotaryOp op, Emitter &emit, ElementAccess &access,
                         ValueRange indices) {
  OpBuilder &b = emit.b;
  Location loc = emit.loc;
  auto angles = shapeOf(op.getCos());
  int64_t pairs = angles.back();
  Value own = indices.back(), pair, other, isSecond;
  if (op.getInterleaved()) {
    pair = arith::ShRUIOp::create(b, loc, own, emit.i64(1));
    other = arith::XOrIOp::create(b, loc, own, emit.i64(1));
    Value bit = arith::AndIOp::create(b, loc, own, emit.i64(1));
    isSecond = emit.compare(Emitter::Compare::ne, bit, 0);
  } else {
    isSecond = emit.compare(Emitter::Compare::sge, own, pairs);
    pair = emit.select(isSecond, emit.add(own, -pairs), own);
    other = emit.select(isSecond, pair, emit.add(own, pairs));
  }
  SmallVector<Value> at;
  size_t skipped = indices.size() - angles.size();
  for (size_t dim = 0; dim + 1 < angles.size(); ++dim) {
    at.push_back(angles[dim] == 1 ? emit.i64(0) : indices[skipped + dim]);
  }
  at.push_back(pair);
  SmallVector<Value> partner(indices);
  partner.back() = other;
  Value cos = access.read(1, at), sin = access.read(2, at);
  sin = emit.select(isSecond, sin, arith::NegFOp::create(b, loc, sin));
  Value turned = arith::MulFOp::create(b, loc, access.read(0, indices), cos);
  Value added = arith::MulFOp::create(b, loc, access.read(0, partner), sin);
  return arith::AddFOp::create(b, loc, turned, added);
}

SmallVector<Value> RotaryOp::emitElements(OpBuilder &builder,
                                          ElementAccess &access,
                                          ValueRange indices) {
  Emitter emit{builder, getLoc()};
  int64_t rotated = 2 * shapeOf(getCos()).back();
  if (rotated == shapeOf(getInput()).back()) {
    return {emitRotated(*this, emit, access, indices)};
  }
  Value isInPair = emit.compare(Emitter::Compare::slt, indices.back(), rotated);
  return {emit.branch(
      isInPair, builder.getF32Type(),
      [&] { return emitRotated(*this, emit, access, indices); },
      [&] { return access.read(0, indices); })};
}

} // namespace minic::graph
