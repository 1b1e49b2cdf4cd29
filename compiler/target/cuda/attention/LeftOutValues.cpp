// SPDX-License-Identifier: Apache-2.0
//
// One multiplication for each sum finds out whether there is anything to do. A
// key that takes part and has such a value makes the result NaN rightly.

#include "compiler/target/cuda/attention/LeftOutValues.h"

#include "compiler/target/cuda/attention/RolledLoops.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace minic::cuda {

Value LeftOutValues::constant(double value) {
  return arith::ConstantOp::create(k.b, k.loc,
                                   k.b.getF32FloatAttr(float(value)));
}

Value LeftOutValues::isFinite(Value value) {
  Value zero = arith::MulFOp::create(k.b, k.loc, value, constant(0));
  return arith::CmpFOp::create(k.b, k.loc, arith::CmpFPredicate::OEQ, zero,
                               constant(0));
}

Value LeftOutValues::check(ArrayRef<Value> sums) {
  Value together = constant(0);
  for (Value sum : sums) {
    together = math::FmaOp::create(k.b, k.loc, sum, constant(0), together);
  }
  return together;
}

void LeftOutValues::repair(Value row, Value column, int64_t tiles,
                           const RowState &state, Value checked) {
  OpBuilder &b = k.b;
  Value isBad = arith::CmpFOp::create(b, k.loc, arith::CmpFPredicate::UNO,
                                      checked, checked);
  // A score of NaN is one of a key that takes part.
  isBad = arith::AndIOp::create(b, k.loc, isBad, isFinite(state.sum));
  k.ifThen(isBad, [&] {
    k.forLoop(k.i32(0), k.i32(tiles), 1, [&](Value tile) {
      k.forLoop(k.i32(0), k.i32(2), 1, [&](Value i) {
        Value at = k.add(k.add(column, k.mul(tile, 8)), i);
        k.ifThen(k.lessThan(at, g.fusion.valueDepth),
                 [&] { repairOne(row, at, state); });
      });
    });
    // Unrolled they would take registers that the fast path lacks.
    keepLoopsRolled(b, b.getInsertionBlock()->getParentOp());
  });
}

Value LeftOutValues::load(const AttentionFusion::Access &access, Value base,
                          int64_t stride, Value index) {
  Value wide = arith::ExtUIOp::create(k.b, k.loc, k.b.getI64Type(), index);
  return k.loadScalar(rows.pointer(access, k.add(base, k.mul(wide, stride))),
                      access.storage);
}

Value LeftOutValues::valueAt(Value key, Value column) {
  const AttentionFusion::Access &access = g.fusion.value;
  Value wide = arith::ExtUIOp::create(k.b, k.loc, k.b.getI64Type(), key);
  Value base = k.add(rows.keyAddress(access), k.mul(wide, access.strides[2]));
  return load(access, base, access.strides[3], column);
}

Value LeftOutValues::weigh(Value row, Value key, const RowState &state) {
  const AttentionFusion::Access &query = g.fusion.query, &keys = g.fusion.key;
  Value left = rows.address(query, row);
  Value wide = arith::ExtUIOp::create(k.b, k.loc, k.b.getI64Type(), key);
  Value right = k.add(rows.keyAddress(keys), k.mul(wide, keys.strides[2]));
  Value product =
      k.forLoop(k.i32(0), k.i32(g.fusion.depth), 1, {constant(0)},
                [&](Value d, ValueRange carried) -> SmallVector<Value> {
                  return {math::FmaOp::create(
                      k.b, k.loc, load(query, left, query.strides[3], d),
                      load(keys, right, keys.strides[3], d), carried[0])};
                })[0];
  Value score = scores.scale(product);
  if (g.fusion.mask && isa<FloatType>(g.fusion.mask->storage)) {
    score = arith::AddFOp::create(k.b, k.loc, score, scores.addend(row, key));
  }
  return softmax.weight(score, state.greatest);
}

void LeftOutValues::repairOne(Value row, Value column, const RowState &state) {
  OpBuilder &b = k.b;
  const AttentionFusion::Access &result = g.fusion.result;
  Value wide = arith::ExtUIOp::create(b, k.loc, b.getI64Type(), column);
  Value to = rows.pointer(
      result, k.add(rows.address(result, row), k.mul(wide, result.strides[3])));
  Value isFine = isFinite(k.loadScalar(to, result.storage));
  auto negate = [&](Value is) -> Value {
    return arith::XOrIOp::create(b, k.loc, is, k.integer(b.getI1Type(), 1));
  };
  k.ifThen(negate(isFine), [&] {
    Value isCertain = k.forLoop(
        k.i32(0), rows.keys(), 1, {k.integer(b.getI1Type(), 1)},
        [&](Value key, ValueRange carried) -> SmallVector<Value> {
          Value harmless =
              arith::OrIOp::create(b, k.loc, isFinite(valueAt(key, column)),
                                   negate(scores.takesPart(row, key)));
          return {arith::AndIOp::create(b, k.loc, carried[0], harmless)};
        })[0];
    k.ifThen(isCertain, [&] {
      Value sum =
          k.forLoop(k.i32(0), rows.keys(), 1, {constant(0)},
                    [&](Value key, ValueRange carried) -> SmallVector<Value> {
                      Value takes = scores.takesPart(row, key);
                      auto orZero = [&](Value value) -> Value {
                        return arith::SelectOp::create(b, k.loc, takes, value,
                                                       constant(0));
                      };
                      return {math::FmaOp::create(
                          b, k.loc, orZero(weigh(row, key, state)),
                          orZero(valueAt(key, column)), carried[0])};
                    })[0];
      sum = arith::MulFOp::create(b, k.loc, sum, softmax.inverse(state));
      k.storeAligned(k.toStorage(sum, result.storage), to);
    });
  });
}

} // namespace minic::cuda
