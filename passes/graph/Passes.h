// SPDX-License-Identifier: Apache-2.0
//
// Passes on the graph dialect; Passes.td says what each does.

#ifndef MINIC_PASSES_GRAPH_PASSES_H
#define MINIC_PASSES_GRAPH_PASSES_H

#include "mlir/Pass/Pass.h"

namespace minic::graph {

class ConstantEvaluator;
class LayoutCosts;

#define GEN_PASS_DECL
#include "passes/graph/Passes.h.inc"

/// Like createFoldConstants(options); `evaluator` does the arithmetic and
/// outlives the pass.
std::unique_ptr<mlir::Pass>
createFoldConstants(const ConstantEvaluator &evaluator,
                    FoldConstantsOptions options = {});

/// `costs` are those of a target; they outlive the pass.
std::unique_ptr<mlir::Pass> createAssignLayouts(LayoutCosts &costs);

#define GEN_PASS_REGISTRATION
#include "passes/graph/Passes.h.inc"

} // namespace minic::graph

#endif // MINIC_PASSES_GRAPH_PASSES_H
