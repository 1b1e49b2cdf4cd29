// SPDX-License-Identifier: Apache-2.0
//
// plan-order-commands: read/write hazards become dependencies. The listed
// order is always a valid one, so the pass never gives up.

#include "passes/plan/Passes.h"

#include "dialects/plan/Commands.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/Support/DebugLog.h"

#define DEBUG_TYPE "plan-order-commands"

namespace minic::plan {
#define GEN_PASS_DEF_ORDERCOMMANDS
#include "passes/plan/Passes.h.inc"
} // namespace minic::plan

using namespace mlir;
using namespace minic;
using namespace minic::plan;

static void orderCommands(Block &block) {
  SmallVector<SmallVector<MemoryAccess>> accesses;
  // For each command, all that are complete before it starts.
  SmallVector<llvm::BitVector> before;
  Builder builder(block.getParentOp()->getContext());
  for (auto [position, command] : llvm::enumerate(getCommands(block))) {
    accesses.push_back(getMemoryAccesses(command));
    llvm::BitVector &mine = before.emplace_back(position);
    SmallVector<int32_t> depends;
    // Latest first: what the later ones wait for follows from them.
    for (int32_t other = int32_t(position) - 1; other >= 0; --other) {
      if (!mine.test(other) && conflict(accesses[other], accesses.back())) {
        depends.push_back(other);
        mine.set(other);
        mine |= before[other];
      }
    }
    std::reverse(depends.begin(), depends.end());
    LDBG() << "command " << position << " waits for " << depends.size();
    command->setAttr("depends", builder.getDenseI32ArrayAttr(depends));
  }
}

namespace {

struct OrderCommands : plan::impl::OrderCommandsBase<OrderCommands> {
  void runOnOperation() override {
    for (auto variant : getOperation().getBody().getOps<VariantOp>()) {
      orderCommands(variant.getPrepare().front());
      orderCommands(variant.getRun().front());
    }
  }
};

} // namespace
