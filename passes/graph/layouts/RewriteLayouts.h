// SPDX-License-Identifier: Apache-2.0
//
// rewriteLayouts: ops on images in the order that was chosen for each, and
// transposes where the order changes.

#ifndef MINIC_PASSES_GRAPH_LAYOUTS_REWRITELAYOUTS_H
#define MINIC_PASSES_GRAPH_LAYOUTS_REWRITELAYOUTS_H

#include "passes/graph/layouts/ChooseLayouts.h"

namespace minic::graph {

/// What a rewrite did.
struct LayoutRewrite {
  /// Ops that compute in another order than the model says.
  unsigned changed = 0;
  /// Those of them that state their order: convolutions, pools, resizes.
  unsigned stated = 0;
  /// A transpose that moves elements.
  struct Relayout {
    TransposeOp op;
    ImageLayout to;
    double us;
    bool isMeasured; // else `us` is an estimate
  };
  llvm::SmallVector<Relayout> relayouts;
};

/// An image is relaid at most once, where it is made.
LayoutRewrite rewriteLayouts(mlir::Block &block, const ImageDomain &domain,
                             const LayoutChoice &choice);

} // namespace minic::graph

#endif // MINIC_PASSES_GRAPH_LAYOUTS_REWRITELAYOUTS_H
