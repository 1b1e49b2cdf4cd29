// SPDX-License-Identifier: Apache-2.0
//
// Losses over classes, from log-probabilities and the classes wanted.

#include "compiler/import/onnx/OpTable.h"

#include <numeric>

namespace minic {

using graph::ComparePredicate;
using graph::ReduceKind;
using ::onnx::TensorProto;

/// -weight[target] * logs[target], [N, C, ...] and [N, ...], summed as
/// `reduction` says. Targets of ignore_index count for nothing.
static Value negativeLogLikelihood(Node &n, const Value &logs,
                                   const Value &target, unsigned weightAt) {
  if (!logs || !target) {
    return {};
  }
  if (logs.rank() < 2 || target.rank() != logs.rank() - 1 || target.isFloat()) {
    return n.fail("expected scores [N, C, ...] and classes [N, ...]");
  }
  int64_t classes = logs.dims[1];
  Dims line(logs.rank(), 1), wide = target.dims;
  line[1] = classes;
  wide.insert(wide.begin() + 1, 1);
  Value at = n.e.cast(n.e.reshape(target, wide), TensorProto::INT64);
  Value isThere = n.e.compare(ComparePredicate::Eq,
                              n.e.iota(TensorProto::INT64, line, 1), at);
  if (n.hasAttribute("ignore_index")) {
    Value counts =
        n.e.compare(ComparePredicate::Ne, at,
                    n.e.scalar(double(n.intOf("ignore_index", 0)), at));
    isThere = n.e.bitAnd(isThere, counts);
  }
  Value weight = n.has(weightAt) ? n.e.reshape(n.operand(weightAt), line)
                                 : n.e.scalar(1, logs);
  // [N, C, ...]: one element of C at most is not zero.
  Value share =
      n.e.select(isThere, n.e.expand(weight, line), n.e.scalar(0, logs));
  Value chosen = n.e.select(isThere, logs, n.e.scalar(0, logs));
  Value loss =
      n.e.neg(n.e.reduce(ReduceKind::Sum, n.e.mul(share, chosen), {1}, false));
  std::string reduction = n.stringOf("reduction", "mean");
  if (reduction == "none" || !loss) {
    return loss;
  }
  Dims all(loss.dims.size());
  std::iota(all.begin(), all.end(), 0);
  Value sum = n.e.reduce(ReduceKind::Sum, loss, all, false);
  if (reduction == "sum") {
    return sum;
  }
  Dims every(logs.dims.size());
  std::iota(every.begin(), every.end(), 0);
  return n.e.div(sum, n.e.reduce(ReduceKind::Sum, n.e.expand(share, logs.dims),
                                 every, false));
}

static void negativeLogLikelihoodLoss(Node &n) {
  n.set(0, negativeLogLikelihood(n, n.operand(0), n.operand(1), 2));
}

static void softmaxCrossEntropyLoss(Node &n) {
  Value scores = n.operand(0);
  mlir::Value operand = n.e.graph(scores);
  if (!operand || scores.rank() < 2) {
    n.fail("expected scores [N, C, ...]");
    return;
  }
  Value logs = n.e.emit<graph::LogSoftmaxOp>(operand, uint64_t(1));
  n.set(0, negativeLogLikelihood(n, logs, n.operand(1), 2));
  n.set(1, logs);
}

llvm::ArrayRef<OpEntry> lossOps() {
  static const OpEntry table[] = {
      {"NegativeLogLikelihoodLoss", negativeLogLikelihoodLoss, 12},
      {"SoftmaxCrossEntropyLoss", softmaxCrossEntropyLoss, 12},
  };
  return table;
}

} // namespace minic
