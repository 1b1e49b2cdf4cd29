// SPDX-License-Identifier: Apache-2.0
//
// What the patterns of graph-raise ask about values: which number a constant
// is, what is behind an op that changes nothing, which operand is which.

#ifndef MINIC_PASSES_GRAPH_RAISE_MATCH_H
#define MINIC_PASSES_GRAPH_RAISE_MATCH_H

#include "dialects/graph/Graph.h"

#include <optional>
#include <utility>

namespace minic::graph {

mlir::RankedTensorType typeOf(mlir::Value value);
bool isFloat(mlir::Value value);

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

/// A constant whose bytes are there.
bool isKnown(mlir::Value value);

/// The number that all elements of a constant are, also behind reshapes and
/// broadcasts. Weights of many elements are not looked at.
std::optional<double> scalarOf(mlir::Value value);

/// Whether `number` is `expected` rounded to `dtype`, give or take what a few
/// operations on constants of that dtype may have lost.
bool isNear(double number, double expected, mlir::Type dtype);

/// A constant whose elements are all near `expected`.
bool isScalarNear(mlir::Value value, double expected);

//===----------------------------------------------------------------------===//
// Ops that change nothing
//===----------------------------------------------------------------------===//

/// What `value` is before reshapes that only add or drop dimensions of 1.
mlir::Value withoutUnitDims(mlir::Value value);

/// What `value` is before broadcasts; for operands of ops that broadcast.
mlir::Value withoutBroadcast(mlir::Value value);

/// What `value` is before casts that lose nothing, as from bf16 to f32.
mlir::Value withoutWidening(mlir::Value value);

/// `shape` without leading ones, down to `rank` dimensions.
llvm::ArrayRef<int64_t> withoutLeadingOnes(llvm::ArrayRef<int64_t> shape,
                                           size_t rank = 0);

/// One value, or two that the same few ops compute from the same values.
bool isSame(mlir::Value a, mlir::Value b);

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

/// The operands of a commutative op in both orders.
inline std::pair<mlir::Value, mlir::Value> operandsOf(mlir::Operation *op,
                                                      bool swapped) {
  return {op->getOperand(swapped), op->getOperand(!swapped)};
}

} // namespace minic::graph

#endif // MINIC_PASSES_GRAPH_RAISE_MATCH_H
