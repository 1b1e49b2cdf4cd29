// SPDX-License-Identifier: Apache-2.0
//
// Reduce*, softmax and what is made of them.

#include "compiler/import/onnx/OpTable.h"

#include <cmath>
#include <numeric>

namespace minic {

using graph::ReduceKind;
using ::onnx::TensorProto;

static Value expOf(Node &n, const Value &x) {
  return n.e.unary<graph::ExpOp>(x, [](double a) { return std::exp(a); });
}
static Value logOf(Node &n, const Value &x) {
  return n.e.unary<graph::LogOp>(x, [](double a) { return std::log(a); });
}
static Value sqrtOf(Node &n, const Value &x) {
  return n.e.unary<graph::SqrtOp>(x, [](double a) { return std::sqrt(a); });
}

/// The axes of a reduction: none given are all, or none of them with
/// noop_with_empty_axes.
static std::optional<Dims> reducedAxes(Node &n, const Value &x) {
  if (!x || (n.has(1) && !n.knownInts(1))) {
    return std::nullopt;
  }
  Dims axes = n.intsOf(1, "axes").value_or(Dims());
  if (axes.empty() && !n.intOf("noop_with_empty_axes", 0)) {
    axes.resize(x.dims.size());
    std::iota(axes.begin(), axes.end(), 0);
  }
  axes = n.axesOf(axes, x.rank());
  return n.failed() ? std::nullopt : std::optional<Dims>(axes);
}

template <ReduceKind kind> static void reduce(Node &n) {
  Value x = n.operand(0);
  std::optional<Dims> axes = reducedAxes(n, x);
  if (!axes) {
    return;
  }
  bool keeps = n.intOf("keepdims", 1);
  if (x.dataType == TensorProto::BOOL && !axes->empty()) {
    Value wide = n.e.cast(x, TensorProto::INT32);
    n.set(0, n.e.cast(n.e.reduce(kind, wide, *axes, keeps), TensorProto::BOOL));
    return;
  }
  n.set(0, n.e.reduce(kind, x, *axes, keeps));
}

/// after(sum of before(x)) along the axes; without axes that of each element.
static void reduceSumOf(Node &n, Value (*before)(Node &, const Value &),
                        Value (*after)(Node &, const Value &)) {
  Value x = n.operand(0);
  std::optional<Dims> axes = reducedAxes(n, x);
  if (!axes) {
    return;
  }
  Value sum = n.e.reduce(ReduceKind::Sum, before ? before(n, x) : x, *axes,
                         n.intOf("keepdims", 1));
  n.set(0, after ? after(n, sum) : sum);
}

static Value squareOf(Node &n, const Value &x) { return n.e.mul(x, x); }
static Value absOf(Node &n, const Value &x) { return n.e.abs(x); }

static void reduceL1(Node &n) { reduceSumOf(n, absOf, nullptr); }
static void reduceL2(Node &n) { reduceSumOf(n, squareOf, sqrtOf); }
static void reduceLogSum(Node &n) { reduceSumOf(n, nullptr, logOf); }
static void reduceSumSquare(Node &n) { reduceSumOf(n, squareOf, nullptr); }

/// max + log(sum of exp(x - max)), so that no exponential overflows.
static void reduceLogSumExp(Node &n) {
  Value x = n.operand(0);
  std::optional<Dims> axes = reducedAxes(n, x);
  if (!axes) {
    return;
  }
  Value most = n.e.reduce(ReduceKind::Max, x, *axes, true);
  Value sum =
      n.e.reduce(ReduceKind::Sum, expOf(n, n.e.sub(x, most)), *axes, true);
  Value result = n.e.add(most, logOf(n, sum));
  if (result && !n.intOf("keepdims", 1)) {
    Dims dims;
    for (int64_t d = 0; d < x.rank(); ++d) {
      if (!llvm::is_contained(*axes, d)) {
        dims.push_back(x.dims[d]);
      }
    }
    result = n.e.reshape(result, dims);
  }
  n.set(0, result);
}

//===----------------------------------------------------------------------===//
// Softmax
//===----------------------------------------------------------------------===//

/// `function` of x along its axis; up to opset 12 all that follows the axis is
/// one dimension.
template <typename Function> static void alongAxis(Node &n, Function function) {
  Value x = n.operand(0);
  if (!x) {
    return;
  }
  int64_t axis = n.axisOf(n.intOf("axis", n.opset() < 13 ? 1 : -1), x.rank());
  if (n.failed()) {
    return;
  }
  if (n.opset() >= 13) {
    n.set(0, function(x, axis));
    return;
  }
  int64_t rows = elementsOf(llvm::ArrayRef<int64_t>(x.dims).take_front(axis));
  Value flat = n.e.reshape(x, {rows, rows ? x.elements() / rows : 0});
  n.set(0, n.e.reshape(function(flat, 1), x.dims));
}

template <typename OpT> static void softmax(Node &n) {
  alongAxis(n, [&](const Value &x, int64_t axis) {
    mlir::Value operand = n.e.graph(x);
    return operand ? n.e.emit<OpT>(operand, uint64_t(axis)) : Value();
  });
}

/// 1 at the first greatest element along the axis, else 0.
static void hardmax(Node &n) {
  alongAxis(n, [&](const Value &x, int64_t axis) {
    mlir::Value operand = n.e.graph(x);
    if (!operand) {
      return Value();
    }
    Value where = n.e.emit<graph::ArgReduceOp>(graph::Extreme::Max, operand,
                                               uint64_t(axis), true);
    Dims line(x.dims.size(), 1);
    line[axis] = x.dims[axis];
    Value isThere =
        n.e.compare(graph::ComparePredicate::Eq,
                    n.e.iota(TensorProto::INT64, line, axis), where);
    return n.e.cast(isThere, x.dataType);
  });
}

/// x / (sum of |x|^p)^(1 / p), and 0 where the norm is 0.
static void lpNormalization(Node &n) {
  Value x = n.operand(0);
  int64_t p = n.intOf("p", 2);
  int64_t axis = n.axisOf(n.intOf("axis", -1), x.rank());
  if (n.failed()) {
    return;
  }
  Value sum = n.e.reduce(ReduceKind::Sum, p == 1 ? n.e.abs(x) : n.e.mul(x, x),
                         {axis}, true);
  Value norm = p == 1 ? sum : sqrtOf(n, sum);
  Value isZero =
      n.e.compare(graph::ComparePredicate::Eq, norm, n.e.scalar(0, x));
  n.set(0, n.e.select(isZero, n.e.scalar(0, x), n.e.div(x, norm)));
}

template <ReduceKind kind> static void globalPool(Node &n) {
  Value x = n.operand(0);
  if (!x) {
    return;
  }
  if (x.rank() < 3) {
    n.fail("expected [N, C, ...]");
    return;
  }
  Dims axes = llvm::to_vector<4>(llvm::seq<int64_t>(2, x.rank()));
  n.set(0, n.e.reduce(kind, x, axes, true));
}

llvm::ArrayRef<OpEntry> reductionOps() {
  static const OpEntry table[] = {
      {"GlobalAveragePool", globalPool<ReduceKind::Mean>},
      {"GlobalMaxPool", globalPool<ReduceKind::Max>},
      {"Hardmax", hardmax},
      {"LogSoftmax", softmax<graph::LogSoftmaxOp>},
      {"LpNormalization", lpNormalization},
      {"ReduceL1", reduceL1},
      {"ReduceL2", reduceL2},
      {"ReduceLogSum", reduceLogSum},
      {"ReduceLogSumExp", reduceLogSumExp},
      {"ReduceMax", reduce<ReduceKind::Max>},
      {"ReduceMean", reduce<ReduceKind::Mean>},
      {"ReduceMin", reduce<ReduceKind::Min>},
      {"ReduceProd", reduce<ReduceKind::Prod>},
      {"ReduceSum", reduce<ReduceKind::Sum>},
      {"ReduceSumSquare", reduceSumSquare},
      {"Softmax", softmax<graph::SoftmaxOp>},
  };
  return table;
}

} // namespace minic
