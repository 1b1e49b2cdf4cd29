// SPDX-License-Identifier: Apache-2.0
//
// State in place: how a model says that a result is an update of an input in
// the caller's own memory, and which ops write there.

#ifndef MINIC_DIALECTS_GRAPH_INPLACE_H
#define MINIC_DIALECTS_GRAPH_INPLACE_H

#include "dialects/graph/Graph.h"

namespace minic::graph {

/// On a result of a function: the number of the argument that it updates, i64.
/// On a graph.cache_update: unit, it writes into the memory of its cache.
inline constexpr llvm::StringLiteral inPlaceAttrName = "graph.in_place";

/// Whether `op` is a graph.cache_update that writes into its cache's memory.
inline bool updatesInPlace(mlir::Operation *op) {
  return mlir::isa_and_present<CacheUpdateOp>(op) &&
         op->hasAttr(inPlaceAttrName);
}

/// Builds where along its axis `op` writes, an i64: its position, read by
/// `access`, clamped and reported.
mlir::Value emitUpdateBegin(CacheUpdateOp op, mlir::OpBuilder &builder,
                            ElementAccess &access);

/// The tensor that `tensor` is another name of.
inline mlir::Value skipReshapes(mlir::Value tensor) {
  while (auto reshape = tensor.getDefiningOp<ReshapeOp>()) {
    tensor = reshape.getInput();
  }
  return tensor;
}

} // namespace minic::graph

#endif // MINIC_DIALECTS_GRAPH_INPLACE_H
