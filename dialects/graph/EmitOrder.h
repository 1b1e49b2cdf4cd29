// SPDX-License-Identifier: Apache-2.0
//
// The order of elements, as ops build it that look for the extreme ones.

#ifndef MINIC_DIALECTS_GRAPH_EMITORDER_H
#define MINIC_DIALECTS_GRAPH_EMITORDER_H

#include "mlir/IR/Builders.h"

namespace minic::graph {

/// Whether `x` comes before `y` whatever their indices are: the greater, or
/// the lesser, one does, and NaN before every number. Scalars or vectors.
mlir::Value emitIsBetter(mlir::OpBuilder &b, mlir::Location loc, bool isMax,
                         mlir::Value x, mlir::Value y);

} // namespace minic::graph

#endif // MINIC_DIALECTS_GRAPH_EMITORDER_H
