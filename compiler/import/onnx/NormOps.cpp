// SPDX-License-Identifier: Apache-2.0
//
// Normalisations.

#include "compiler/import/onnx/OpTable.h"

#include <cmath>

namespace minic {

using graph::ReduceKind;
using ::onnx::TensorProto;

static llvm::APFloat number(double value) { return llvm::APFloat(value); }

static Value sqrtOf(Node &n, const Value &x) {
  return n.e.unary<graph::SqrtOp>(x, [](double a) { return std::sqrt(a); });
}

/// What follows `axis`.
static Dims normalizedDims(const Value &x, int64_t axis) {
  return Dims(llvm::ArrayRef<int64_t>(x.dims).drop_front(axis));
}

/// Operand `i`, a scale or bias, without leading dimensions that do not vary;
/// null where there is none. Fails where it cannot be broadcast to `x`.
static Value parameterOf(Node &n, unsigned i, const Value &x) {
  if (!n.has(i)) {
    return {};
  }
  Value parameter = n.operand(i);
  auto own = llvm::ArrayRef<int64_t>(parameter.dims);
  while (!own.empty() && own.front() == 1) {
    own = own.drop_front();
  }
  bool fits = own.size() <= x.dims.size();
  for (size_t i = 1; fits && i <= own.size(); ++i) {
    int64_t have = own[own.size() - i], want = x.dims[x.dims.size() - i];
    fits = have == want || have == 1;
  }
  if (!fits) {
    n.fail("expected a scale and a bias that can be broadcast to the input");
    return {};
  }
  return n.e.reshape(parameter, own);
}

/// `x`, with `normalize(scale, bias)` over its dimensions from `axis` on. A
/// scale or bias that varies outside of these is applied afterwards.
static Value scaledNorm(
    Node &n, const Value &x, int64_t axis, bool hasBias,
    llvm::function_ref<Value(mlir::Value scale, mlir::Value bias)> normalize) {
  Dims dims = normalizedDims(x, axis);
  Value scale = parameterOf(n, 1, x),
        bias = hasBias ? parameterOf(n, 2, x) : Value();
  if (n.failed()) {
    return {};
  }
  auto isPerElement = [&](const Value &parameter) {
    return !parameter || parameter.dims.size() <= dims.size();
  };
  if (isPerElement(scale) && isPerElement(bias)) {
    auto expanded = [&](const Value &parameter) {
      return parameter ? n.e.graph(n.e.expand(parameter, dims)) : mlir::Value();
    };
    mlir::Value first = expanded(scale), second = expanded(bias);
    return n.failed() ? Value() : normalize(first, second);
  }
  Value result = normalize({}, {});
  if (scale) {
    result = n.e.mul(result, scale);
  }
  return bias ? n.e.add(result, bias) : result;
}

static void layerNorm(Node &n) {
  Value x = n.operand(0);
  int64_t axis = n.axisOf(n.intOf("axis", -1), x.rank());
  if (n.failed()) {
    return;
  }
  double epsilon = n.floatOf("epsilon", 1e-5f);
  mlir::Value input = n.e.graph(x);
  Value result = scaledNorm(
      n, x, axis, /*hasBias=*/true, [&](mlir::Value scale, mlir::Value bias) {
        return n.e.emit<graph::LayerNormOp>(input, scale, bias, uint64_t(axis),
                                            number(epsilon));
      });
  if (n.failed()) {
    return;
  }
  n.set(0, result);
  if (!n.wants(1) && !n.wants(2)) {
    return;
  }
  // Statistics are of stash_type.
  Dims axes = llvm::to_vector<4>(llvm::seq<int64_t>(axis, x.rank()));
  Value wide = n.e.cast(x, int(n.intOf("stash_type", TensorProto::FLOAT)));
  Value mean = n.e.reduce(ReduceKind::Mean, wide, axes, true);
  Value centred = n.e.sub(wide, mean);
  Value variance =
      n.e.reduce(ReduceKind::Mean, n.e.mul(centred, centred), axes, true);
  Value deviation = sqrtOf(n, n.e.add(variance, n.e.scalar(epsilon, variance)));
  n.set(1, mean);
  n.set(2, n.e.div(n.e.scalar(1, deviation), deviation));
}

static void rmsNorm(Node &n) {
  Value x = n.operand(0);
  int64_t axis = n.axisOf(n.intOf("axis", -1), x.rank());
  if (n.failed()) {
    return;
  }
  mlir::Value input = n.e.graph(x);
  Value result = scaledNorm(
      n, x, axis, /*hasBias=*/false, [&](mlir::Value scale, mlir::Value) {
        return n.e.emit<graph::RmsNormOp>(input, scale, uint64_t(axis),
                                          number(n.floatOf("epsilon", 1e-5f)));
      });
  if (!n.failed()) {
    n.set(0, result);
  }
}

/// Up to opset 20 scale and bias are per group, then per channel.
static void groupNorm(Node &n) {
  Value x = n.operand(0);
  int64_t groups = n.intOf("num_groups", 1);
  if (!x || x.rank() < 3 || groups < 1 || x.dims[1] % groups != 0) {
    n.fail("expected [N, C, ...] with C a multiple of num_groups");
    return;
  }
  int64_t channels = x.dims[1];
  auto perChannel = [&](unsigned i) -> mlir::Value {
    Value value = n.operand(i);
    if (value && n.opset() < 21 && value.elements() == groups) {
      value = n.e.reshape(n.e.expand(n.e.reshape(value, {groups, 1}),
                                     {groups, channels / groups}),
                          {channels});
    }
    return n.e.graph(value);
  };
  mlir::Value input = n.e.graph(x), scale = perChannel(1), bias = perChannel(2);
  if (!n.failed()) {
    n.set(0, n.e.emit<graph::GroupNormOp>(input, scale, bias, uint64_t(groups),
                                          number(n.floatOf("epsilon", 1e-5f))));
  }
}

static void instanceNorm(Node &n) {
  Value x = n.operand(0);
  if (!x || x.rank() < 3) {
    n.fail("expected [N, C, ...]");
    return;
  }
  mlir::Value input = n.e.graph(x), scale = n.e.graph(n.operand(1)),
              bias = n.e.graph(n.operand(2));
  if (!n.failed()) {
    n.set(0,
          n.e.emit<graph::GroupNormOp>(input, scale, bias, uint64_t(x.dims[1]),
                                       number(n.floatOf("epsilon", 1e-5f))));
  }
}

static bool isKnownToBe(Node &n, const Value &x, double number) {
  auto known = n.e.known(x);
  return known && known->isFloat() &&
         llvm::all_of(known->floats, [&](double f) { return f == number; });
}

/// Of a batch of one: each channel is a row, as Keras computes a layer norm.
static void batchNormOfRows(Node &n, const Value &x) {
  int64_t channels = x.dims[1];
  if (x.elements() == 0) {
    n.fail("a tensor without elements");
    return;
  }
  mlir::Value rows =
      n.e.graph(n.e.reshape(x, {channels, x.elements() / channels}));
  if (n.failed()) {
    return;
  }
  Value norm = n.e.reshape(n.e.emit<graph::LayerNormOp>(
                               rows, mlir::Value(), mlir::Value(), uint64_t(1),
                               number(n.floatOf("epsilon", 1e-5f))),
                           x.dims);
  Dims line(x.rank() - 1, 1);
  line[0] = channels;
  Value scale = n.operand(1), bias = n.operand(2);
  if (!isKnownToBe(n, scale, 1)) {
    norm = n.e.mul(norm, n.e.cast(n.e.reshape(scale, line), x.dataType));
  }
  if (!isKnownToBe(n, bias, 0)) {
    norm = n.e.add(norm, n.e.cast(n.e.reshape(bias, line), x.dataType));
  }
  n.set(0, norm);
}

/// With the statistics of x itself, which also go into the running ones.
static void batchNormOfBatch(Node &n, const Value &x) {
  Dims axes, line(x.rank(), 1);
  for (int64_t axis = 0; axis != x.rank(); ++axis) {
    if (axis != 1) {
      axes.push_back(axis);
    }
  }
  line[1] = x.dims[1];
  Value mean = n.e.reduce(ReduceKind::Mean, x, axes, true);
  Value centred = n.e.sub(x, mean);
  Value variance =
      n.e.reduce(ReduceKind::Mean, n.e.mul(centred, centred), axes, true);
  if (x.dims[0] == 1 && x.rank() > 2) {
    batchNormOfRows(n, x);
  } else {
    Value deviation =
        sqrtOf(n, n.e.add(variance,
                          n.e.scalar(n.floatOf("epsilon", 1e-5f), variance)));
    auto channels = [&](unsigned i) {
      return n.e.cast(n.e.reshape(n.operand(i), line), x.dataType);
    };
    Value norm = n.e.div(centred, deviation);
    n.set(0, n.e.add(n.e.mul(norm, channels(1)), channels(2)));
  }
  double momentum = n.floatOf("momentum", 0.9f);
  for (auto [result, value] : {std::pair(1U, mean), std::pair(2U, variance)}) {
    if (!n.wants(result)) {
      continue;
    }
    Value given = n.operand(result + 2);
    Value now = n.e.cast(n.e.reshape(value, {x.dims[1]}), given.dataType);
    n.set(result, n.e.add(n.e.mul(given, n.e.scalar(momentum, given)),
                          n.e.mul(now, n.e.scalar(1 - momentum, given))));
  }
}

/// (x - mean) * scale / sqrt(variance + epsilon) + bias, with statistics that
/// are given: what is per channel is computed first.
static void batchNorm(Node &n) {
  Value x = n.operand(0);
  if (!x || x.rank() < 2) {
    n.fail("expected [N, C, ...]");
    return;
  }
  if (n.intOf("training_mode", 0)) {
    batchNormOfBatch(n, x);
    return;
  }
  if (n.wants(1)) {
    n.fail("training");
    return;
  }
  Dims line(x.rank() - 1, 1);
  line[0] = x.dims[1];
  auto channels = [&](unsigned i) {
    return n.e.cast(n.e.reshape(n.operand(i), line), x.dataType);
  };
  Value scale = channels(1), bias = channels(2), mean = channels(3),
        variance = channels(4);
  Value deviation = sqrtOf(
      n, n.e.add(variance, n.e.scalar(n.floatOf("epsilon", 1e-5f), variance)));
  Value factor = n.e.div(scale, deviation);
  Value shift = n.e.sub(bias, n.e.mul(mean, factor));
  n.set(0, n.e.add(n.e.mul(x, factor), shift));
}

static void meanVarianceNorm(Node &n) {
  Value x = n.operand(0);
  Dims axes = n.axesOf(n.intsOf("axes").value_or(Dims({0, 2, 3})), x.rank());
  if (n.failed()) {
    return;
  }
  Value centred = n.e.sub(x, n.e.reduce(ReduceKind::Mean, x, axes, true));
  Value variance =
      n.e.reduce(ReduceKind::Mean, n.e.mul(centred, centred), axes, true);
  Value deviation = n.e.add(sqrtOf(n, variance), n.e.scalar(1e-9, variance));
  n.set(0, n.e.div(centred, deviation));
}

/// x / (bias + alpha / size * sum of x^2 over near channels)^beta
static void localResponseNorm(Node &n) {
  Value x = n.operand(0);
  int64_t size = n.intOf("size", 1);
  if (!x || x.rank() < 3 || size < 1 || size > 64) {
    n.fail("expected [N, C, ...] and a size from 1 to 64");
    return;
  }
  Dims before(x.rank(), 0), after(x.rank(), 0);
  before[1] = (size - 1) / 2;
  after[1] = size / 2;
  Value squares = n.e.pad(n.e.mul(x, x), before, after, 0), sum;
  for (int64_t i = 0; i < size; ++i) {
    Value part = n.e.sliceAxis(squares, 1, i, i + x.dims[1]);
    sum = i == 0 ? part : n.e.add(sum, part);
  }
  double alpha = n.floatOf("alpha", 0.0001f) / double(size);
  Value base = n.e.add(n.e.mul(sum, n.e.scalar(alpha, sum)),
                       n.e.scalar(n.floatOf("bias", 1), sum));
  n.set(0,
        n.e.div(x, n.e.pow(base, n.e.scalar(n.floatOf("beta", 0.75), base))));
}

llvm::ArrayRef<OpEntry> normOps() {
  static const OpEntry table[] = {
      {"BatchNormalization", batchNorm, 7, "statistics given, or of the batch"},
      {"GroupNormalization", groupNorm, 18},
      {"InstanceNormalization", instanceNorm, 6},
      // ONNX Runtime had it before ONNX did.
      {"LayerNormalization", layerNorm},
      {"LRN", localResponseNorm},
      {"MeanVarianceNormalization", meanVarianceNorm, 9},
      {"RMSNormalization", rmsNorm, 23},
  };
  return table;
}

} // namespace minic
