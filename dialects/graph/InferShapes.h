// SPDX-License-Identifier: Apache-2.0
//
// InferShapes: types of a function's ops, as static as its arguments allow.

#ifndef MINIC_DIALECTS_GRAPH_INFERSHAPES_H
#define MINIC_DIALECTS_GRAPH_INFERSHAPES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace minic::graph {

/// Refines the results of all graph ops of `function` and its own type. A
/// declared dimension is never made less static; one that contradicts its
/// operands is a diagnostic. What stays dynamic is left for others to judge.
mlir::LogicalResult inferShapes(mlir::func::FuncOp function);

} // namespace minic::graph

#endif // MINIC_DIALECTS_GRAPH_INFERSHAPES_H
