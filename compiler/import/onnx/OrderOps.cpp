// SPDX-License-Identifier: Apache-2.0
//
// Ops along one axis that find an order or depend on it.

#include "compiler/import/onnx/OpTable.h"

namespace minic {

using ::onnx::TensorProto;

/// x with one axis backwards.
static Value reversed(Node &n, const Value &x, int64_t axis) {
  Dims starts(x.rank(), 0), steps(x.rank(), 1);
  starts[axis] = x.dims[axis] - 1;
  steps[axis] = -1;
  return n.e.slice(x, starts, x.dims, steps);
}

/// The last of several extremes is the first one of the axis backwards.
template <graph::Extreme extreme> static void argReduce(Node &n) {
  Value x = n.operand(0);
  int64_t axis = n.axisOf(n.intOf("axis", 0), x.rank());
  if (n.failed()) {
    return;
  }
  bool isLast = n.intOf("select_last_index", 0);
  mlir::Value operand = n.e.graph(isLast ? reversed(n, x, axis) : x);
  if (!operand) {
    return;
  }
  Value index = n.e.emit<graph::ArgReduceOp>(extreme, operand, uint64_t(axis),
                                             bool(n.intOf("keepdims", 1)));
  n.set(0, isLast ? n.e.sub(n.e.scalar(double(x.dims[axis] - 1), index), index)
                  : index);
}

static void topK(Node &n) {
  Value x = n.operand(0);
  std::optional<Dims> k =
      n.opset() < 10 ? Dims({n.intOf("k", 0)}) : n.knownInts(1);
  int64_t axis = n.axisOf(n.intOf("axis", -1), x.rank());
  mlir::Value operand = n.e.graph(x);
  if (!k || k->size() != 1 || !operand || n.failed()) {
    n.fail("expected one k");
    return;
  }
  auto results = n.e.emitAll<graph::TopKOp>(
      n.intOf("largest", 1) ? graph::Extreme::Max : graph::Extreme::Min,
      operand, uint64_t(axis), uint64_t(k->front()));
  for (auto [i, result] : llvm::enumerate(results)) {
    n.set(unsigned(i), result);
  }
}

static void cumSum(Node &n) {
  Value x = n.operand(0);
  std::optional<double> at = n.knownNumber(1);
  mlir::Value operand = n.e.graph(x);
  if (!at || !operand) {
    return;
  }
  int64_t axis = n.axisOf(int64_t(*at), x.rank());
  if (!n.failed()) {
    n.set(0, n.e.emit<graph::CumsumOp>(operand, uint64_t(axis),
                                       bool(n.intOf("exclusive", 0)),
                                       bool(n.intOf("reverse", 0))));
  }
}

llvm::ArrayRef<OpEntry> orderOps() {
  static const OpEntry table[] = {
      {"ArgMax", argReduce<graph::Extreme::Max>},
      {"ArgMin", argReduce<graph::Extreme::Min>},
      {"CumSum", cumSum, 11, "known axis"},
      {"TopK", topK, 1, "known k"},
  };
  return table;
}

} // namespace minic
