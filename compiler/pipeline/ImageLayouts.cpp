// SPDX-License-Identifier: Apache-2.0
//
// What is asked about is a fusion of its own.

#include "compiler/pipeline/ImageLayouts.h"

#include "compiler/pipeline/EstimateSelector.h"
#include "dialects/graph/Views.h"

#include "mlir/IR/IRMapping.h"

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

kernel::FusionOp EstimatedLayoutCosts::outline(Block &block) {
  SmallVector<Operation *> ops;
  for (Operation &op : block) {
    ops.push_back(&op);
  }
  OpBuilder builder = OpBuilder::atBlockEnd(&block);
  Operation *last = ops.back();
  auto fusion = kernel::FusionOp::create(
      builder, last->getLoc(), last->getResultTypes(), block.getArguments(),
      /*choice=*/nullptr, /*impl=*/nullptr);
  Block *body = builder.createBlock(&fusion.getBody());
  IRMapping mapping;
  for (BlockArgument argument : block.getArguments()) {
    mapping.map(argument,
                body->addArgument(argument.getType(), argument.getLoc()));
  }
  for (Operation *op : ops) {
    builder.clone(*op, mapping);
  }
  kernel::YieldOp::create(builder, last->getLoc(),
                          mapping.lookup(last->getResult(0)));
  return fusion;
}

EstimatedLayoutCosts::Key EstimatedLayoutCosts::keyOf(Block &block) {
  Key key;
  for (Type type : block.getArgumentTypes()) {
    key.push_back(type.getAsOpaquePointer());
  }
  for (Operation &op : block) {
    key.push_back(op.getName().getAsOpaquePointer());
    key.push_back(op.getAttrDictionary().getAsOpaquePointer());
  }
  return key;
}

double EstimatedLayoutCosts::blockUs(Block &block) {
  auto [entry, isNew] = known.insert({keyOf(block), 0});
  if (!isNew ||
      llvm::all_of(block, [](Operation &op) { return isFree(&op); })) {
    return entry->second;
  }
  std::vector<std::string> why;
  double us = unsupportedUs;
  for (const Candidate &candidate : enumerateAllowed(
           outline(block), target, options, NanPolicy::Mark, why)) {
    // A plug-in's kernels have no estimate.
    if (candidate.label != BackendLabel::Plugin) {
      us = std::min(us, candidate.estimateUs);
    }
  }
  return entry->second = us;
}

} // namespace minic
