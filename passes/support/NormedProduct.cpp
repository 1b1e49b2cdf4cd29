// SPDX-License-Identifier: Apache-2.0
//
// Of norms and products by their types.

#include "passes/support/NormedProduct.h"

#include "dialects/graph/Graph.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace minic::kernel {

bool normsLastDimension(Operation *op) {
  auto isLast = [&](int64_t axis) {
    return axis + 1 ==
           cast<RankedTensorType>(op->getOperand(0).getType()).getRank();
  };
  if (auto norm = dyn_cast<graph::LayerNormOp>(op)) {
    return isLast(int64_t(norm.getAxis()));
  }
  auto norm = dyn_cast<graph::RmsNormOp>(op);
  return norm && isLast(int64_t(norm.getAxis()));
}

bool isProductOfFewRows(Operation *op, int64_t most) {
  auto matmul = dyn_cast<graph::MatmulOp>(op);
  if (!isa<graph::LinearOp>(op) && (!matmul || matmul.getTransposeLhs())) {
    return false;
  }
  auto lhs = cast<RankedTensorType>(op->getOperand(0).getType());
  return lhs.hasStaticShape() && lhs.getRank() > 0 &&
         cast<RankedTensorType>(op->getOperand(1).getType()).getRank() == 2 &&
         llvm::product_of(lhs.getShape().drop_back()) <= most;
}

} // namespace minic::kernel
