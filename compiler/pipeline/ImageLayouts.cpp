// SPDX-License-Identifier: Apache-2.0
//
// Each op is asked about as a fusion of its own.

#include "compiler/pipeline/ImageLayouts.h"

#include "compiler/pipeline/EstimateSelector.h"
#include "dialects/graph/Views.h"

using namespace mlir;

namespace minic {

/// Of an op that nothing implements: another order is better.
constexpr double unsupportedUs = 1e9;

bool assignsLayouts(ModuleOp module, const CompileOptions &options) {
  return options.assignLayouts != "off" &&
         module
             .walk([](Operation *op) {
               return isa<graph::Conv2dOp, graph::ConvTranspose2dOp,
                          graph::Pool2dOp, graph::ResizeOp>(op)
                          ? WalkResult::interrupt()
                          : WalkResult::advance();
             })
             .wasInterrupted();
}

/// Whether no kernel is needed if something computes the operands.
static bool isFree(Operation *op) {
  auto concat = dyn_cast<graph::ConcatOp>(op);
  return graph::isView(op) || (concat && graph::getPieceOffsets(concat));
}

/// `op`, alone in a fusion.
static kernel::FusionOp outline(Operation *op) {
  OpBuilder builder(op);
  auto fusion = kernel::FusionOp::create(
      builder, op->getLoc(), op->getResultTypes(), op->getOperands(),
      /*choice=*/nullptr, /*impl=*/nullptr);
  Block *body = builder.createBlock(&fusion.getBody());
  for (Value operand : op->getOperands()) {
    body->addArgument(operand.getType(), operand.getLoc());
  }
  Operation *inner = builder.clone(*op);
  inner->setOperands(body->getArguments());
  kernel::YieldOp::create(builder, op->getLoc(), inner->getResults());
  return fusion;
}

double EstimatedLayoutCosts::opUs(Operation *op) {
  std::vector<const void *> key = {
      op->getName().getAsOpaquePointer(),
      op->getAttrDictionary().getAsOpaquePointer()};
  for (Type type : op->getOperandTypes()) {
    key.push_back(type.getAsOpaquePointer());
  }
  auto [entry, isNew] = known.insert({key, 0});
  if (!isNew || isFree(op)) {
    return entry->second;
  }
  std::vector<std::string> why;
  double us = unsupportedUs;
  for (const Candidate &candidate :
       enumerateAllowed(outline(op), target, options, NanPolicy::Mark, why)) {
    // A plug-in's kernels have no estimate.
    if (candidate.label != BackendLabel::Plugin) {
      us = std::min(us, candidate.estimateUs);
    }
  }
  return entry->second = us;
}

} // namespace minic
