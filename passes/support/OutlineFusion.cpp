// SPDX-License-Identifier: Apache-2.0
//
// The boundary of a fusion, and the clone of its ops.

#include "passes/support/OutlineFusion.h"

#include "dialects/kernel/Kernel.h"

#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace minic::kernel {

static bool isWeight(OpOperand &use) {
  auto fusible = dyn_cast<graph::FusibleOpInterface>(use.getOwner());
  return fusible && fusible.getOperandRole(use.getOperandNumber()) ==
                        graph::OperandRole::Weight;
}

void outlineFusion(ArrayRef<Operation *> ops) {
  llvm::SmallSetVector<Operation *, 8> members(ops.begin(), ops.end());
  auto isMember = [&](Operation *op) { return op && members.contains(op); };

  SmallVector<Value> inputs;
  llvm::DenseMap<OpOperand *, unsigned> inputOf;
  llvm::DenseMap<Value, unsigned> shared;
  SmallVector<Value> results;
  SmallVector<Location> locations;
  for (Operation *op : ops) {
    locations.push_back(op->getLoc());
    for (OpOperand &operand : op->getOpOperands()) {
      if (isMember(operand.get().getDefiningOp())) {
        continue;
      }
      unsigned next = inputs.size();
      bool isOwn = isWeight(operand);
      unsigned input =
          isOwn ? next : shared.insert({operand.get(), next}).first->second;
      if (input == next) {
        inputs.push_back(operand.get());
      }
      inputOf[&operand] = input;
    }
    for (Value result : op->getResults()) {
      if (!llvm::all_of(result.getUsers(), isMember)) {
        results.push_back(result);
      }
    }
  }

  OpBuilder builder(ops.back());
  Location loc = builder.getFusedLoc(locations);
  auto fusion =
      FusionOp::create(builder, loc, TypeRange(ValueRange(results)), inputs,
                       /*choice=*/nullptr, /*impl=*/nullptr);
  Block *body = builder.createBlock(&fusion.getBody());
  for (Value input : inputs) {
    body->addArgument(input.getType(), input.getLoc());
  }
  IRMapping mapping;
  for (Operation *op : ops) {
    Operation *clone = builder.clone(*op, mapping);
    for (OpOperand &operand : op->getOpOperands()) {
      if (auto input = inputOf.find(&operand); input != inputOf.end()) {
        clone->setOperand(operand.getOperandNumber(),
                          body->getArgument(input->second));
      }
    }
  }
  YieldOp::create(builder, loc, llvm::map_to_vector(results, [&](Value result) {
                    return mapping.lookup(result);
                  }));
  for (auto [result, replacement] :
       llvm::zip_equal(results, fusion.getResults())) {
    result.replaceUsesWithIf(
        replacement, [&](OpOperand &use) { return !isMember(use.getOwner()); });
  }
  for (Operation *op : llvm::reverse(ops)) {
    op->erase();
  }
}

} // namespace minic::kernel
