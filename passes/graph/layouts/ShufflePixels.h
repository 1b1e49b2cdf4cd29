// SPDX-License-Identifier: Apache-2.0
//
// Channels that become pixels, as behind a convolution that was a transposed
// one, or in a depth-to-space: of NHWC where both sides are.

#ifndef MINIC_PASSES_GRAPH_LAYOUTS_SHUFFLEPIXELS_H
#define MINIC_PASSES_GRAPH_LAYOUTS_SHUFFLEPIXELS_H

#include "mlir/IR/PatternMatch.h"

namespace minic::graph {

/// The image of NCHW whose channels `op`, the last op of such a shuffle, has as
/// pixels; null for other ops.
mlir::Value shuffledImage(mlir::Operation *op);

/// Relayouts on both sides of such a shuffle of NCHW are part of it.
void addShufflePixels(mlir::RewritePatternSet &patterns);

} // namespace minic::graph

#endif // MINIC_PASSES_GRAPH_LAYOUTS_SHUFFLEPIXELS_H
