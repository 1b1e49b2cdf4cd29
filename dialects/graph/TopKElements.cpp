// SPDX-License-Identifier: Apache-2.0
//
// An element of top_k: the best of all elements, then the best of those that
// come after it, and so on down to the rank that is asked for.

#include "dialects/graph/EmitOrder.h"
#include "dialects/graph/Graph.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace minic::graph {

namespace {

/// Searches of one line of the input.
class Selection {
public:
  Selection(TopKOp op, OpBuilder &b, ElementAccess &access, ValueRange indices)
      : op(op), b(b), loc(op.getLoc()), access(access), line(indices),
        isMax(op.getExtreme() == Extreme::Max) {}

  /// The element at `rank`, and its index.
  SmallVector<Value> find(Value rank) {
    Value passes = arith::AddIOp::create(b, loc, rank, i64(1));
    Value none = arith::ConstantOp::create(
        b, loc, cast<TypedAttr>(b.getZeroAttr(computeType())));
    return loop(passes, {none, i64(-1)},
                [&](Value, ValueRange last) { return findNext(last); });
  }

private:
  using State = SmallVector<Value>; // an element and its index; -1: none

  Type computeType() {
    Type dtype = op.getInput().getType().getElementType();
    return isa<FloatType>(dtype) ? b.getF32Type() : dtype;
  }

  Value i64(int64_t value) {
    return arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(value));
  }

  State loop(Value count, ValueRange state,
             function_ref<State(Value, ValueRange)> body) {
    auto loop = scf::ForOp::create(b, loc, i64(0), count, i64(1), state);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    State next = body(loop.getInductionVar(), loop.getRegionIterArgs());
    scf::YieldOp::create(b, loc, next);
    return State(loop.getResults());
  }

  /// The best of the elements that come after `last`.
  State findNext(ValueRange last) {
    int64_t axis = op.getAxis();
    Value extent = i64(op.getInput().getType().getDimSize(axis));
    return loop(extent, {last[0], i64(-1)}, [&](Value j, ValueRange best) {
      line[axis] = j;
      Value element = access.read(0, line);
      Value isFirst = isNone(best);
      Value beats =
          arith::OrIOp::create(b, loc, isFirst, isBetter(element, best[0]));
      Value wins =
          arith::AndIOp::create(b, loc, comesAfter(last, element, j), beats);
      return State{arith::SelectOp::create(b, loc, wins, element, best[0]),
                   arith::SelectOp::create(b, loc, wins, j, best[1])};
    });
  }

  Value comesAfter(ValueRange last, Value element, Value index) {
    Value isWorse = isBetter(last[0], element);
    // Among equals the later index.
    Value isLater = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt,
                                          last[1], index);
    Value isBest = isBetter(element, last[0]);
    Value no = arith::ConstantOp::create(b, loc, b.getBoolAttr(false));
    Value isEqual = arith::SelectOp::create(b, loc, isBest, no, isLater);
    Value follows = arith::OrIOp::create(b, loc, isWorse, isEqual);
    return arith::OrIOp::create(b, loc, follows, isNone(last));
  }

  Value isNone(ValueRange state) {
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, state[1],
                                 i64(0));
  }

  Value isBetter(Value x, Value y) { return emitIsBetter(b, loc, isMax, x, y); }

  TopKOp op;
  OpBuilder &b;
  Location loc;
  ElementAccess &access;
  SmallVector<Value> line;
  bool isMax;
};

} // namespace

SmallVector<Value> TopKOp::emitElements(OpBuilder &builder,
                                        ElementAccess &access,
                                        ValueRange indices) {
  return Selection(*this, builder, access, indices).find(indices[getAxis()]);
}

int64_t TopKOp::getReadsPerElement() {
  // As many passes as the rank, of k / 2 on average.
  return getInput().getType().getDimSize(getAxis()) * (getK() + 1) / 2;
}

} // namespace minic::graph
