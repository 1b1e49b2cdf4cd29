// SPDX-License-Identifier: Apache-2.0
//
// The patterns of graph-raise, one function for each file beside this one. A
// pattern replaces the last op of what it matches. What others still read of
// the rest stays, so a match never changes another result.

#ifndef MINIC_PASSES_GRAPH_RAISE_PATTERNS_H
#define MINIC_PASSES_GRAPH_RAISE_PATTERNS_H

#include "mlir/IR/PatternMatch.h"

namespace minic::graph {

/// Products with constant matrices, and their biases.
void populateRaiseLinear(mlir::RewritePatternSet &patterns);

} // namespace minic::graph

#endif // MINIC_PASSES_GRAPH_RAISE_PATTERNS_H
