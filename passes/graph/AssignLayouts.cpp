// SPDX-License-Identifier: Apache-2.0
//
// graph-assign-layouts: images get the order that is fastest on a target,
// chosen over whole chains of ops. It gives up on nothing: what is bound to an
// order (an argument, a result, a reshape) is a border, where a transpose may
// stand.

#include "passes/graph/Passes.h"

#include "passes/graph/layouts/DescribeLayouts.h"
#include "passes/graph/layouts/ShufflePixels.h"
#include "passes/graph/raise/Match.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "llvm/Support/DebugLog.h"

#define DEBUG_TYPE "graph-assign-layouts"

namespace minic::graph {
#define GEN_PASS_DEF_ASSIGNLAYOUTS
#include "passes/graph/Passes.h.inc"
} // namespace minic::graph

using namespace mlir;
using namespace minic;
using namespace minic::graph;

namespace {

/// What the pass's description says of a pass without a target.
class WantedLayout : public LayoutCosts {
public:
  explicit WantedLayout(ImageLayout wanted) : wanted(wanted) {}

  double blockUs(Block &block) override {
    Operation *op = &block.back();
    double elements = double(typeOf(block.getArgument(0)).getNumElements() +
                             typeOf(op->getResult(0)).getNumElements());
    if (isa<TransposeOp>(op) && isa<BlockArgument>(op->getOperand(0))) {
      return elements / 2;
    }
    auto stated = statedLayout(op);
    return stated && *stated != wanted ? 4 * elements : 0;
  }

private:
  ImageLayout wanted;
};

/// Forgets relayouts that disappear.
struct KeptRelayouts : RewriterBase::Listener {
  explicit KeptRelayouts(LayoutRewrite &done) : done(done) {}

  void notifyOperationErased(Operation *op) override {
    llvm::erase_if(done.relayouts, [&](LayoutRewrite::Relayout &relayout) {
      return relayout.op == op;
    });
  }

  LayoutRewrite &done;
};

struct AssignLayouts : graph::impl::AssignLayoutsBase<AssignLayouts> {
  using AssignLayoutsBase::AssignLayoutsBase;

  LogicalResult initialize(MLIRContext *context) override {
    if (symbolizeImageLayout(layout)) {
      return success();
    }
    return emitError(UnknownLoc::get(context))
           << "graph-assign-layouts expects layout=nchw or layout=nhwc, got "
           << layout;
  }

  void runOnOperation() override {
    for (Block &block : getOperation().getBody()) {
      if (costs) {
        assign(block, *costs);
      } else {
        WantedLayout wanted(*symbolizeImageLayout(layout));
        assign(block, wanted);
      }
    }
  }

  void assign(Block &block, LayoutCosts &costs) {
    ImageDomain domain(block);
    LayoutChoice choice = chooseLayouts(block, domain, costs);
    bool isNew = !choice.pools.empty() ||
                 llvm::any_of(choice.layouts, [&](const auto &entry) {
                   const ImageOp *image = domain.find(entry.first);
                   return image && entry.second != domain.layoutOf(*image);
                 });
    if (!isNew) {
      return;
    }
    auto stated = unsigned(llvm::count_if(
        block, [](Operation &op) { return statedLayout(&op).has_value(); }));
    LayoutRewrite done = rewriteLayouts(block, domain, choice);
    RewritePatternSet patterns(&getContext());
    addShufflePixels(patterns);
    KeptRelayouts kept(done);
    // If the driver reaches its limit first, the module is still right.
    (void)applyPatternsGreedily(getOperation(), std::move(patterns),
                                GreedyRewriteConfig().setListener(&kept));
    changed += done.changed;
    relayouts += done.relayouts.size();
    for (std::string &line : describeLayouts(done, stated, choice.savedUs)) {
      LDBG() << line;
      costs.note(getOperation().getName(), std::move(line));
    }
  }

  LayoutCosts *costs = nullptr;
};

} // namespace

std::unique_ptr<Pass> minic::graph::createAssignLayouts(LayoutCosts &costs) {
  auto pass = std::make_unique<AssignLayouts>();
  pass->costs = &costs;
  return pass;
}
