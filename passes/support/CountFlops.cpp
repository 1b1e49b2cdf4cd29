// SPDX-License-Identifier: Apache-2.0
//
// The conventional count: what a kernel repeats or saves does not matter.

#include "passes/support/CountFlops.h"

#include "dialects/graph/Graph.h"

using namespace mlir;

int64_t minic::countFlops(Operation *op) {
  auto elements = [&] {
    return cast<RankedTensorType>(op->getResult(0).getType()).getNumElements();
  };
  if (auto linear = dyn_cast<graph::LinearOp>(op)) {
    int64_t k = linear.getWeight().getType().getDimSize(1);
    return 2 * elements() * k + (linear.getBias() ? elements() : 0);
  }
  if (auto matmul = dyn_cast<graph::MatmulOp>(op)) {
    ArrayRef<int64_t> lhs = matmul.getLhs().getType().getShape();
    int64_t k = matmul.getTransposeLhs() ? lhs[lhs.size() - 2] : lhs.back();
    return 2 * elements() * k;
  }
  if (auto conv = dyn_cast<graph::Conv2dOp>(op)) {
    return 2 * elements() * conv.getGeometry().reductionLength() +
           (conv.getBias() ? elements() : 0);
  }
  return isa<graph::PointwiseOpInterface>(op) ? elements() : 0;
}
