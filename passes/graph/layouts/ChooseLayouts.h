// SPDX-License-Identifier: Apache-2.0
//
// chooseLayouts: in which order each op on images computes, such that the ops
// and the relayouts between them take the least time together.

#ifndef MINIC_PASSES_GRAPH_LAYOUTS_CHOOSELAYOUTS_H
#define MINIC_PASSES_GRAPH_LAYOUTS_CHOOSELAYOUTS_H

#include "dialects/graph/LayoutCosts.h"
#include "passes/graph/layouts/ImageDomain.h"

namespace minic::graph {

struct LayoutChoice {
  /// By op of the domain, transposes that are other names included.
  llvm::DenseMap<mlir::Operation *, ImageLayout> layouts;
  /// Reductions over pixels that are pools in the order that was chosen.
  llvm::DenseSet<mlir::Operation *> pools;
  /// Microseconds of a relayout of each image.
  llvm::DenseMap<mlir::Value, double> relayoutUs;
  /// Those whose relayout was measured.
  llvm::DenseSet<mlir::Value> measured;
  /// How much less everything takes than in the model's orders.
  double savedUs = 0;
};

/// Exact for the costs: a minimum cut between the ops that compute in NCHW and
/// those that do in NHWC. Where nothing is gained an op keeps its order. Where
/// `costs` can measure, what is chosen has measured relayouts alone.
LayoutChoice chooseLayouts(mlir::Block &block, const ImageDomain &domain,
                           LayoutCosts &costs);

} // namespace minic::graph

#endif // MINIC_PASSES_GRAPH_LAYOUTS_CHOOSELAYOUTS_H
