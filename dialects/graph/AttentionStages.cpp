// SPDX-License-Identifier: Apache-2.0
//
// attention as products, pointwise ops and reductions. The H / G heads that
// share a key are rows of one product, so that no key or value is repeated.

#include "dialects/graph/Graph.h"

#include <cmath>

using namespace mlir;

namespace minic::graph {

namespace {

RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

class AttentionStages {
public:
  AttentionStages(AttentionOp op, OpBuilder &builder)
      : op_(op), b_(builder), loc_(op.getLoc()),
        dtype_(typeOf(op.getValue()).getElementType()),
        queries_(typeOf(op.getQuery()).getDimSize(2)),
        heads_(op.getHeadsPerKey()), rows_(heads_ * queries_),
        keys_(typeOf(op.getKey()).getDimSize(2)) {}

  SmallVector<Value> build();

private:
  //===------------------------------------------------------------------===//
  // Ops
  //===------------------------------------------------------------------===//

  Value scalar(Type dtype, double value) {
    auto type = RankedTensorType::get({}, dtype);
    Attribute element = isa<FloatType>(dtype)
                            ? Attribute(b_.getFloatAttr(dtype, value))
                            : b_.getIntegerAttr(dtype, int64_t(value));
    return ConstantOp::create(b_, loc_, DenseElementsAttr::get(type, element));
  }
  Value scalar(double value) { return scalar(b_.getF32Type(), value); }
  /// Integers in `shape`.
  Value numbers(ArrayRef<int32_t> values, ArrayRef<int64_t> shape) {
    auto type = RankedTensorType::get(shape, b_.getI32Type());
    return ConstantOp::create(b_, loc_, DenseElementsAttr::get(type, values));
  }
  Value convert(Value x, Type dtype) {
    Type type = typeOf(x).clone(dtype);
    return x.getType() == type ? x : CastOp::create(b_, loc_, type, x);
  }
  Value wide(Value x) { return convert(x, b_.getF32Type()); }
  Value reshape(Value x, ArrayRef<int64_t> shape) {
    Type type = typeOf(x).clone(shape);
    return x.getType() == type ? x : ReshapeOp::create(b_, loc_, type, x);
  }
  Value broadcast(Value x, ArrayRef<int64_t> shape) {
    Type type = typeOf(x).clone(shape);
    return x.getType() == type ? x : BroadcastOp::create(b_, loc_, type, x);
  }
  Value compare(ComparePredicate predicate, Value x, Value y) {
    return CompareOp::create(b_, loc_, predicate, x, y);
  }
  Value select(Value condition, Value x, Value y) {
    return SelectOp::create(b_, loc_, condition, x, y);
  }
  /// Both; either may be null.
  Value both(Value x, Value y) {
    return !x ? y : !y ? x : AndOp::create(b_, loc_, x, y);
  }
  Value reduce(ReduceKind kind, Value x) {
    int64_t axis[] = {3};
    return ReduceOp::create(b_, loc_, kind, x, axis, /*keep_dims=*/true);
  }
  /// [B, G, rows, N] of `dtype`.
  Value product(Value x, Value y, Type dtype, bool isTransposed) {
    ArrayRef<int64_t> left = typeOf(x).getShape(), right = typeOf(y).getShape();
    int64_t shape[] = {right[0], right[1], left[2],
                       isTransposed ? right[2] : right[3]};
    return MatmulOp::create(b_, loc_, RankedTensorType::get(shape, dtype), x, y,
                            /*transpose_lhs=*/false, isTransposed);
  }

  //===------------------------------------------------------------------===//
  // Stages
  //===------------------------------------------------------------------===//

  Value maskOverRows();
  Value keyLength();
  Value takesPart();
  Value scores(Value takesPart);
  Value valuesOfKeys(Value takesPart);
  Value hasNotFinite(Value takesPart, Value isNotFinite);
  SmallVector<Value> none();

  AttentionOp op_;
  OpBuilder &b_;
  Location loc_;
  Type dtype_; // the value's
  int64_t queries_, heads_, rows_, keys_;
};

/// [B, G, H / G * T, S] of [B, H, T, S], each extent or 1.
Value AttentionStages::maskOverRows() {
  Value mask = op_.getMask();
  SmallVector<int64_t> shape(typeOf(mask).getShape());
  shape.insert(shape.begin(), 4 - shape.size(), 1);
  auto [b, h, t, s] = std::tuple(shape[0], shape[1], shape[2], shape[3]);
  if (heads_ == 1 || (h == 1 && t == 1)) {
    return reshape(mask, shape);
  }
  int64_t groups = h == 1 ? 1 : h / heads_;
  mask = reshape(mask, {b, groups, h / groups, t, s});
  mask = broadcast(mask, {b, groups, heads_, queries_, s});
  return reshape(mask, {b, groups, rows_, s});
}

/// The number of keys, [B, 1, 1, 1] or all 1; null where it is S.
Value AttentionStages::keyLength() {
  Value length = op_.getKeyLength();
  if (!length) {
    return {};
  }
  Type dtype = typeOf(length).getElementType();
  length = reshape(length, {typeOf(length).getNumElements(), 1, 1, 1});
  length = MaxOp::create(b_, loc_, length, scalar(dtype, 0));
  length = MinOp::create(b_, loc_, length, scalar(dtype, double(keys_)));
  return convert(length, b_.getI32Type());
}

/// Which keys take part, an i1 that broadcasts to [B, G, rows, S], with rows of
/// 1 where it depends on the key alone; null for all keys.
Value AttentionStages::takesPart() {
  Value result, length = keyLength();
  Value mask = op_.getMask();
  if (mask && typeOf(mask).getElementType().isInteger(1)) {
    result = maskOverRows();
  }
  if (!length && op_.getCausal() == Causal::None && !op_.getWindow()) {
    return result;
  }
  Value key = numbers(llvm::to_vector(llvm::seq<int32_t>(0, int32_t(keys_))),
                      {1, 1, 1, keys_});
  if (length) {
    result = both(result, compare(ComparePredicate::Lt, key, length));
  }
  if (op_.getCausal() == Causal::None && !op_.getWindow()) {
    return result;
  }
  // Where the query is among the keys.
  bool isLast = op_.getCausal() == Causal::LowerRight;
  int64_t first = !isLast ? 0 : length ? -queries_ : keys_ - queries_;
  int64_t rows = queries_ == 1 ? 1 : rows_;
  SmallVector<int32_t> positions;
  for (int64_t row = 0; row < rows; ++row) {
    positions.push_back(int32_t(first + row % queries_));
  }
  Value position = numbers(positions, {1, 1, rows, 1});
  if (isLast && length) {
    position = AddOp::create(b_, loc_, position, length);
  }
  if (op_.getCausal() != Causal::None) {
    result = both(result, compare(ComparePredicate::Le, key, position));
  }
  if (op_.getWindow()) {
    Value away = SubOp::create(b_, loc_, position, key);
    away = AbsOp::create(b_, loc_, away.getType(), away);
    int64_t window = std::min<int64_t>(*op_.getWindow(), INT32_MAX);
    result = both(result, compare(ComparePredicate::Lt, away,
                                  scalar(b_.getI32Type(), double(window))));
  }
  return result;
}

/// [B, G, rows, S] of f32; -infinity for keys left out.
Value AttentionStages::scores(Value takesPart) {
  auto key = typeOf(op_.getKey());
  Value query = reshape(op_.getQuery(), {key.getDimSize(0), key.getDimSize(1),
                                         rows_, key.getDimSize(3)});
  Value x = product(query, op_.getKey(), b_.getF32Type(), true);
  if (op_.getScoreScale() != 1) {
    x = MulOp::create(b_, loc_, x, scalar(op_.getScoreScale()));
  }
  if (op_.getSoftCap()) {
    Value cap = scalar(op_.getSoftCap()->convertToDouble());
    x = DivOp::create(b_, loc_, x, cap);
    x = TanhOp::create(b_, loc_, x.getType(), x);
    x = MulOp::create(b_, loc_, x, cap);
  }
  Value mask = op_.getMask();
  if (mask && isa<FloatType>(typeOf(mask).getElementType())) {
    x = AddOp::create(b_, loc_, x, wide(maskOverRows()));
  }
  return takesPart ? select(takesPart, x, scalar(-HUGE_VAL)) : x;
}

/// The values with 0 for keys that no query sees.
Value AttentionStages::valuesOfKeys(Value takesPart) {
  ArrayRef<int64_t> shape = typeOf(takesPart).getShape();
  return select(reshape(takesPart, {shape[0], shape[1], shape[3], 1}),
                op_.getValue(), scalar(dtype_, 0));
}

/// Whether a key that takes part has a value that is not finite, for each
/// element of the result.
Value AttentionStages::hasNotFinite(Value takesPart, Value isNotFinite) {
  SmallVector<int64_t> shape(typeOf(takesPart).getShape());
  shape[3] = keys_;
  Value keys = convert(broadcast(takesPart, shape), dtype_);
  Value count = product(keys, convert(isNotFinite, dtype_), b_.getF32Type(),
                        /*isTransposed=*/false);
  return compare(ComparePredicate::Gt, count, scalar(0.5));
}

/// What a query without keys has.
SmallVector<Value> AttentionStages::none() {
  SmallVector<Value> results = {
      broadcast(scalar(dtype_, 0), typeOf(op_.getResult()).getShape())};
  if (op_.getLogSumExp()) {
    results.push_back(
        broadcast(scalar(-HUGE_VAL), typeOf(op_.getLogSumExp()).getShape()));
  }
  return results;
}

SmallVector<Value> AttentionStages::build() {
  if (keys_ == 0) {
    return none();
  }
  Value part = takesPart(), value = op_.getValue(), isBad;
  if (part && typeOf(part).getDimSize(2) == 1) {
    value = valuesOfKeys(part);
  } else if (part) {
    // Zero times what is not finite is NaN: a key that one query leaves out and
    // another does not is counted where it has such values.
    Value zero = scalar(dtype_, 0);
    Value isNotFinite =
        IsNanOp::create(b_, loc_, MulOp::create(b_, loc_, value, zero));
    value = select(isNotFinite, zero, value);
    isBad = hasNotFinite(part, isNotFinite);
  }
  Value x = scores(part);
  Value greatest = reduce(ReduceKind::Max, x);
  Value powers = SubOp::create(b_, loc_, x, greatest);
  powers = ExpOp::create(b_, loc_, powers.getType(), powers);
  Value sum = reduce(ReduceKind::Sum, powers);
  Value weights = DivOp::create(b_, loc_, powers, sum);
  // A row of -infinity is NaN here.
  Value least = scalar(-HUGE_VAL);
  weights = select(compare(ComparePredicate::Eq, x, least), scalar(0), weights);
  Value result = product(convert(weights, dtype_), value, dtype_, false);
  if (isBad) {
    result = select(isBad, scalar(dtype_, std::nan("")), result);
  }
  SmallVector<Value> results = {
      reshape(result, typeOf(op_.getResult()).getShape())};
  if (op_.getLogSumExp()) {
    Value log = LogOp::create(b_, loc_, sum.getType(), sum);
    Value total = AddOp::create(b_, loc_, log, greatest);
    total =
        select(compare(ComparePredicate::Eq, greatest, least), least, total);
    results.push_back(reshape(total, typeOf(op_.getLogSumExp()).getShape()));
  }
  return results;
}

} // namespace

SmallVector<Value> AttentionOp::expand(OpBuilder &builder) {
  return AttentionStages(*this, builder).build();
}

} // namespace minic::graph
