// SPDX-License-Identifier: Apache-2.0
//
// graph-infer-shapes: dialects/graph/InferShapes.h as a pass.

#include "passes/graph/Passes.h"

#include "dialects/graph/Graph.h"
#include "dialects/graph/InferShapes.h"

namespace minic::graph {
#define GEN_PASS_DEF_INFERSHAPES
#include "passes/graph/Passes.h.inc"

namespace {

struct InferShapes : impl::InferShapesBase<InferShapes> {
  void runOnOperation() override {
    if (mlir::failed(inferShapes(getOperation()))) {
      signalPassFailure();
    }
  }
};

} // namespace
} // namespace minic::graph
