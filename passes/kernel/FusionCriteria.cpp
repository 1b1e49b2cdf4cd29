// SPDX-License-Identifier: Apache-2.0

#include "passes/kernel/FusionCriteria.h"

#include "dialects/graph/InPlace.h"
#include "dialects/graph/KernelOp.h"
#include "dialects/graph/Views.h"
#include "dialects/kernel/Kernel.h"

using namespace mlir;

namespace minic::kernel {

bool isPointwiseKernel(Operation *op) {
  auto kernel = dyn_cast<graph::KernelOp>(op);
  if (!kernel || !kernel.isLinked() || kernel.getNumResults() != 1 ||
      kernel.getUpdates()) {
    return false;
  }
  auto shape = cast<RankedTensorType>(kernel.getResultTypes()[0]).getShape();
  return llvm::all_of(
      kernel.getBody().front().without_terminator(), [&](Operation &inner) {
        return isa<graph::ConstantOp>(inner) ||
               (isa<graph::PointwiseOpInterface>(inner) &&
                cast<RankedTensorType>(inner.getResult(0).getType())
                        .getShape() == shape);
      });
}

bool isKernelAnchor(Operation *op) {
  auto kernel = dyn_cast<graph::KernelOp>(op);
  return kernel && kernel.getNumResults() == 1 && !isPointwiseKernel(op);
}

bool isPointwise(Operation *op) {
  return isa<graph::PointwiseOpInterface>(op) || isPointwiseKernel(op);
}

static graph::OperandRole roleOf(OpOperand &use) {
  auto fusible = dyn_cast<graph::FusibleOpInterface>(use.getOwner());
  return fusible ? fusible.getOperandRole(use.getOperandNumber())
                 : graph::OperandRole::Data;
}

bool isReduced(OpOperand &use) {
  Operation *user = use.getOwner();
  return graph::isAnchor(user) && !graph::isConvolution(user) &&
         (roleOf(use) == graph::OperandRole::Data ||
          roleOf(use) == graph::OperandRole::Weight);
}

bool rewritesRows(Operation *op) {
  if (!graph::isAnchor(op)) {
    return false;
  }
  graph::IterationSpace space =
      cast<graph::FusibleOpInterface>(op).getIterationSpace();
  AffineMap read = space.operandMaps[0], written = space.resultMaps[0];
  return read && read == written && !space.isParallel(read);
}

bool isCheap(Operation *op) {
  return isa<graph::PointwiseOpInterface>(op) &&
         cast<graph::FusibleOpInterface>(op).getScalarCost() ==
             graph::ScalarCost::Simple;
}

bool isFound(Operation *op) {
  auto element = dyn_cast<graph::ElementOpInterface>(op);
  return element && !graph::isAnchor(op) && !graph::isView(op) &&
         !graph::updatesInPlace(op) && op->getNumResults() == 1 &&
         element.getReadsPerElement() == 1 &&
         cast<graph::FusibleOpInterface>(op).getFlopsPerPoint() == 0;
}

bool isCounted(Operation *op) {
  return isFound(op) && op->getNumOperands() == 0;
}

bool isStrided(Operation *op) {
  return isa<graph::TransposeOp>(op) ||
         (isa<graph::SliceOp>(op) && !graph::isView(op));
}

bool isReadByStrides(OpOperand &use) {
  unsigned number = use.getOperandNumber();
  return (isa<graph::AttentionOp>(use.getOwner()) && number < 3) ||
         (isa<graph::RotaryOp, graph::GroupNormOp>(use.getOwner()) &&
          number == 0);
}

bool isTurn(OpOperand &use) {
  return isa<graph::RotaryOp>(use.getOwner()) && use.getOperandNumber() > 0;
}

bool isSlice(Operation *op) { return isStrided(op) && isa<graph::SliceOp>(op); }

bool isPartOf(Value tensor, const llvm::SmallDenseSet<Value> &states) {
  if (states.contains(tensor)) {
    return true;
  }
  Operation *op = tensor.getDefiningOp();
  return op && graph::isView(op) &&
         llvm::any_of(op->getOperands(),
                      [&](Value operand) { return isPartOf(operand, states); });
}

bool isUpdatedCache(Value value, int64_t mostRows) {
  auto update = value.getDefiningOp<graph::CacheUpdateOp>();
  if (!graph::updatesInPlace(update)) {
    return false;
  }
  auto fresh = cast<RankedTensorType>(update.getUpdate().getType());
  return update.getAxis() == 2 && fresh.hasStaticShape() &&
         fresh.getDimSize(2) <= mostRows;
}

RankedTensorType resultType(Operation *op) {
  return cast<RankedTensorType>(op->getResult(0).getType());
}

bool readsNoMoreThanItWrites(Operation *op) {
  int64_t read = 0;
  for (Type type : op->getOperandTypes()) {
    auto tensor = cast<RankedTensorType>(type);
    if (!tensor.hasStaticShape()) {
      return false;
    }
    read += getBytes(tensor);
  }
  return resultType(op).hasStaticShape() && read <= getBytes(resultType(op));
}

} // namespace minic::kernel
