// SPDX-License-Identifier: Apache-2.0
//
// graph-raise: what exporters write in pieces becomes the op that names it. The
// patterns are in raise/, one idea in each file.

#include "passes/graph/Passes.h"

#include "dialects/graph/Graph.h"
#include "passes/graph/raise/Patterns.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace minic::graph {
#define GEN_PASS_DEF_RAISE
#include "passes/graph/Passes.h.inc"
} // namespace minic::graph

using namespace mlir;
using namespace minic;

namespace {

struct Raise : graph::impl::RaiseBase<Raise> {
  LogicalResult initialize(MLIRContext *context) override {
    RewritePatternSet owning(context);
    graph::populateRaiseAttention(owning);
    graph::populateRaiseChannelAffine(owning);
    graph::populateRaiseClamp(owning);
    graph::populateRaiseFlatPixels(owning);
    graph::populateRaiseFlatRows(owning);
    graph::populateRaiseGather(owning);
    graph::populateRaiseGelu(owning);
    graph::populateRaiseGroupNorm(owning);
    graph::populateRaiseLinear(owning);
    graph::populateRaiseRotary(owning);
    graph::populateRaiseRowNorms(owning);
    graph::populateRaiseScalars(owning);
    graph::populateRaiseSigmoid(owning);
    graph::populateRaiseSoftmax(owning);
    graph::populateSimplifyAttention(owning);
    patterns = std::move(owning);
    return success();
  }

  void runOnOperation() override {
    // Producers first: what is around a raised op is raised with it. If the
    // driver reaches its limit first, the module is still right.
    (void)applyPatternsGreedily(getOperation(), patterns);
  }

private:
  FrozenRewritePatternSet patterns;
};

} // namespace
