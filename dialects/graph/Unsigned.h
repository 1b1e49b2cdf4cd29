// SPDX-License-Identifier: Apache-2.0
//
// Unsigned: tensors of ui8 that a function has as i8 of the same bits.

#ifndef MINIC_DIALECTS_GRAPH_UNSIGNED_H
#define MINIC_DIALECTS_GRAPH_UNSIGNED_H

#include "mlir/IR/BuiltinTypes.h"

namespace minic::graph {

/// On an argument or a result of a function, unit: its caller has it as ui8.
inline constexpr llvm::StringLiteral unsignedAttrName = "graph.unsigned";

/// `tensor` of ui8 in place of i8.
inline mlir::RankedTensorType asUnsigned(mlir::RankedTensorType tensor) {
  return tensor.clone(mlir::IntegerType::get(tensor.getContext(), 8,
                                             mlir::IntegerType::Unsigned));
}

} // namespace minic::graph

#endif // MINIC_DIALECTS_GRAPH_UNSIGNED_H
