// SPDX-License-Identifier: Apache-2.0
//
// log_softmax and the norms as reductions and pointwise ops of f32.

#include "dialects/graph/Graph.h"

using namespace mlir;

namespace minic::graph {

namespace {

/// Builds stages at one location.
struct Stages {
  OpBuilder &builder;
  Location loc;

  static RankedTensorType typeOf(Value value) {
    return cast<RankedTensorType>(value.getType());
  }
  Value convert(Value x, Type dtype) const {
    Type type = typeOf(x).clone(dtype);
    return x.getType() == type ? x : CastOp::create(builder, loc, type, x);
  }
  Value wide(Value x) const { return convert(x, builder.getF32Type()); }
  Value reshape(Value x, ArrayRef<int64_t> shape) const {
    Type type = typeOf(x).clone(shape);
    return x.getType() == type ? x : ReshapeOp::create(builder, loc, type, x);
  }
  /// Over the dimensions from `first` to `last`, which stay as 1.
  Value reduce(ReduceKind kind, Value x, int64_t first, int64_t last) const {
    auto axes = llvm::to_vector(llvm::seq<int64_t>(first, last));
    return ReduceOp::create(builder, loc, kind, x, axes, /*keep_dims=*/true);
  }
  Value add(Value x, Value y) const {
    return AddOp::create(builder, loc, x, y);
  }
  Value sub(Value x, Value y) const {
    return SubOp::create(builder, loc, x, y);
  }
  Value mul(Value x, Value y) const {
    return MulOp::create(builder, loc, x, y);
  }

  /// (x - mean) / sqrt(variance + epsilon) over the dimensions from `axis` on;
  /// the mean is 0 unless `isCentred`.
  Value normalize(Value x, int64_t axis, bool isCentred,
                  APFloat epsilon) const {
    int64_t rank = typeOf(x).getRank();
    if (isCentred) {
      x = sub(x, reduce(ReduceKind::Mean, x, axis, rank));
    }
    Value power = reduce(ReduceKind::Mean, mul(x, x), axis, rank);
    Value factor =
        RsqrtOp::create(builder, loc, power.getType(), power, epsilon);
    return mul(x, factor);
  }
  /// x * scale + bias, each where there is one, in `shape`.
  Value transform(Value x, Value scale, Value bias,
                  ArrayRef<int64_t> shape) const {
    x = scale ? mul(x, reshape(wide(scale), shape)) : x;
    return bias ? add(x, reshape(wide(bias), shape)) : x;
  }
};

} // namespace

SmallVector<Value> LogSoftmaxOp::expand(OpBuilder &builder) {
  Stages s{builder, getLoc()};
  int64_t axis = getAxis();
  Value x = s.wide(getInput());
  x = s.sub(x, s.reduce(ReduceKind::Max, x, axis, axis + 1));
  Value powers = ExpOp::create(builder, getLoc(), x.getType(), x);
  Value sum = s.reduce(ReduceKind::Sum, powers, axis, axis + 1);
  Value log = LogOp::create(builder, getLoc(), sum.getType(), sum);
  return {s.convert(s.sub(x, log), getInput().getType().getElementType())};
}

SmallVector<Value> LayerNormOp::expand(OpBuilder &builder) {
  Stages s{builder, getLoc()};
  auto type = getInput().getType();
  Value y = s.normalize(s.wide(getInput()), getAxis(), /*isCentred=*/true,
                        getEpsilon());
  y = s.transform(y, getScale(), getBias(),
                  type.getShape().drop_front(getAxis()));
  return {s.convert(y, type.getElementType())};
}

SmallVector<Value> RmsNormOp::expand(OpBuilder &builder) {
  Stages s{builder, getLoc()};
  auto type = getInput().getType();
  Value y = s.normalize(s.wide(getInput()), getAxis(), /*isCentred=*/false,
                        getEpsilon());
  y = s.transform(y, getScale(), Value(),
                  type.getShape().drop_front(getAxis()));
  return {s.convert(y, type.getElementType())};
}

/// [N, C, ...] as [N, groups, C / groups, ...].
SmallVector<Value> GroupNormOp::expand(OpBuilder &builder) {
  Stages s{builder, getLoc()};
  auto type = getInput().getType();
  int64_t groups = getGroups(), perGroup = type.getDimSize(1) / groups;
  SmallVector<int64_t> split = {type.getDimSize(0), groups, perGroup};
  llvm::append_range(split, type.getShape().drop_front(2));
  SmallVector<int64_t> perChannel(split.size() - 1, 1);
  perChannel[0] = groups;
  perChannel[1] = perGroup;
  Value x = s.reshape(s.wide(getInput()), split);
  Value y = s.normalize(x, 2, /*isCentred=*/true, getEpsilon());
  y = s.transform(y, getScale(), getBias(), perChannel);
  return {s.convert(s.reshape(y, type.getShape()), type.getElementType())};
}

} // namespace minic::graph
