// SPDX-License-Identifier: Apache-2.0
//
// graph-sort-ops: operands before their readers, from the first result to the
// last. The order in which a model lists its ops says nothing, and passes that
// go through a function in order would depend on it.

#include "passes/graph/Passes.h"

#include "dialects/graph/Graph.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseSet.h"

namespace minic::graph {
#define GEN_PASS_DEF_SORTOPS
#include "passes/graph/Passes.h.inc"
} // namespace minic::graph

using namespace mlir;
using namespace minic;

namespace {

/// Ops of a block behind those whose results they read.
class Order {
public:
  explicit Order(Block &block) : block(block) {}

  /// `op` and what it needs, unless they have their places already. A stack of
  /// its own: models are as deep as they like.
  void add(Operation *op) {
    enter(op);
    while (!open.empty()) {
      auto &[top, next] = open.back();
      if (next < top->getNumOperands()) {
        enter(top->getOperand(next++).getDefiningOp());
        continue;
      }
      sorted.push_back(top);
      open.pop_back();
    }
  }

  ArrayRef<Operation *> get() const { return sorted; }

private:
  void enter(Operation *op) {
    if (op && op->getBlock() == &block && seen.insert(op).second) {
      open.push_back({op, 0});
    }
  }

  Block &block;
  DenseSet<Operation *> seen;
  SmallVector<std::pair<Operation *, unsigned>> open; // and the next operand
  std::vector<Operation *> sorted;
};

struct SortOps : graph::impl::SortOpsBase<SortOps> {
  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (function.isExternal() || !function.getBody().hasOneBlock()) {
      return;
    }
    Block &block = function.getBody().front();
    Operation *end = block.getTerminator();
    Order order(block);
    order.add(end);
    // What no result needs stays a part of the function.
    for (Operation &op : block) {
      order.add(&op);
    }
    for (Operation *op : order.get()) {
      if (op != end) {
        op->moveBefore(end);
      }
    }
  }
};

} // namespace
