// SPDX-License-Identifier: Apache-2.0
//
// AxisLoops: the loops of ops that reduce along one axis and keep it.

#ifndef MINIC_DIALECTS_GRAPH_AXISLOOPS_H
#define MINIC_DIALECTS_GRAPH_AXISLOOPS_H

#include "dialects/graph/Graph.h"

namespace minic::graph {

/// A parallel iterator for each other dimension of `type`, in order, then a
/// reduction along `axis`. One operand and one result, both of that shape.
IterationSpace loopsAlongAxis(mlir::RankedTensorType type, int64_t axis);

} // namespace minic::graph

#endif // MINIC_DIALECTS_GRAPH_AXISLOOPS_H
