// SPDX-License-Identifier: Apache-2.0
//
// Builds stages in the place of their op, and moves out of the body what no
// kernel has to do: constants, and reshapes at its borders.

#include "dialects/kernel/ExpandOps.h"

#include "dialects/graph/KernelOp.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace minic::kernel {

bool canExpand(Operation *op) {
  if (auto kernel = dyn_cast<graph::KernelOp>(op);
      kernel && !kernel.isLinked()) {
    return false;
  }
  return isa<graph::ExpandableOpInterface>(op) &&
         llvm::all_of(llvm::concat<const Type>(op->getOperandTypes(),
                                               op->getResultTypes()),
                      [](Type type) {
                        return cast<RankedTensorType>(type).hasStaticShape();
                      });
}

/// Moves `op`, which reads inputs of `fusion` only, in front of it.
static void hoist(FusionOp fusion, Operation *op) {
  for (OpOperand &operand : op->getOpOperands()) {
    auto argument = cast<BlockArgument>(operand.get());
    operand.set(fusion.getInputs()[argument.getArgNumber()]);
  }
  op->moveBefore(fusion);
  Value outer = op->getResult(0);
  Value inner = fusion.getBody().addArgument(outer.getType(), op->getLoc());
  outer.replaceAllUsesWith(inner);
  fusion.getInputsMutable().append(outer);
}

/// True for what is dense outside too.
static bool readsInput(FusionOp fusion, graph::ReshapeOp op) {
  auto argument = dyn_cast<BlockArgument>(op.getInput());
  return argument && fusion.getInputs()[argument.getArgNumber()].getType() ==
                         argument.getType();
}

static void hoistBorder(FusionOp fusion) {
  llvm::MapVector<Attribute, Operation *> constants;
  for (Operation *op : fusion.getBodyOps()) {
    if (auto constant = dyn_cast<graph::ConstantOp>(op)) {
      auto [known, isNew] = constants.insert({constant.getValueAttr(), op});
      if (!isNew) {
        op->replaceAllUsesWith(known->second);
        op->erase();
      }
    }
  }
  for (Operation *op : fusion.getBodyOps()) {
    auto reshape = dyn_cast<graph::ReshapeOp>(op);
    if (isa<graph::ConstantOp>(op) ||
        (reshape && readsInput(fusion, reshape))) {
      hoist(fusion, op);
    }
  }
}

/// Yields what reshapes of yielded values read; they come behind the fusion.
static FusionOp sinkReshapes(FusionOp fusion) {
  SmallVector<Operation *> reshapes;
  for (OpOperand &yielded : fusion.getYield()->getOpOperands()) {
    auto reshape = yielded.get().getDefiningOp<graph::ReshapeOp>();
    if (reshape && reshape->hasOneUse() &&
        !isa<BlockArgument>(reshape.getInput())) {
      reshapes.push_back(reshape);
      yielded.set(reshape.getInput());
    }
  }
  if (reshapes.empty()) {
    return fusion;
  }
  OpBuilder builder(fusion);
  auto result = FusionOp::create(
      builder, fusion.getLoc(), fusion.getYield().getOperandTypes(),
      fusion.getInputs(), fusion.getChoiceAttr(), fusion.getImplAttr());
  result->setDiscardableAttrs(fusion->getDiscardableAttrDictionary());
  result.getBody().takeBody(fusion.getBody());
  for (auto [from, to] :
       llvm::zip_equal(fusion.getResults(), result.getResults())) {
    Value replacement = to;
    if (from.getType() != to.getType()) {
      replacement = graph::ReshapeOp::create(builder, fusion.getLoc(),
                                             from.getType(), to);
    }
    from.replaceAllUsesWith(replacement);
  }
  for (Operation *reshape : reshapes) {
    reshape->erase();
  }
  fusion.erase();
  return result;
}

void buildStages(FusionOp fusion, ArrayRef<int64_t> ops) {
  SmallVector<Operation *> body = fusion.getBodyOps();
  for (int64_t index : ops) {
    Operation *op = body[index];
    OpBuilder builder(op);
    op->replaceAllUsesWith(
        cast<graph::ExpandableOpInterface>(op).expand(builder));
    op->erase();
  }
  // Stages of results that nobody reads: no part could yield anything.
  body = fusion.getBodyOps();
  for (Operation *op : llvm::reverse(body)) {
    if (isOpTriviallyDead(op)) {
      op->erase();
    }
  }
}

FusionOp expandOps(FusionOp fusion, ArrayRef<int64_t> ops) {
  if (ops.empty()) {
    return fusion;
  }
  buildStages(fusion, ops);
  hoistBorder(fusion);
  return sinkReshapes(fusion);
}

ExpandedFusion::ExpandedFusion(FusionOp fusion, ArrayRef<int64_t> ops,
                               bool isApart)
    : expanded_(fusion) {
  if (ops.empty()) {
    return;
  }
  IRMapping mapping;
  for (Value input : fusion.getInputs()) {
    if (isApart && !mapping.contains(input)) {
      mapping.map(input, scratch_.addArgument(input.getType(), input.getLoc()));
    }
  }
  auto clone = cast<FusionOp>(fusion->clone(mapping));
  scratch_.push_back(clone);
  // It indexes another body.
  clone.removeChoiceAttr();
  expanded_ = expandOps(clone, ops);
}

} // namespace minic::kernel
