// SPDX-License-Identifier: Apache-2.0

#ifndef MINIC_PASSES_GRAPH_RAISE_FINITE_H
#define MINIC_PASSES_GRAPH_RAISE_FINITE_H

#include "mlir/IR/Value.h"

namespace minic::graph {

/// Whether no element of `value` can be infinite, as a real number: it comes
/// from integers, finite constants and products by ops that keep numbers
/// finite. A float argument may hold anything, and so may what divides or takes
/// a logarithm.
bool isProvablyFinite(mlir::Value value);

} // namespace minic::graph

#endif // MINIC_PASSES_GRAPH_RAISE_FINITE_H
