// SPDX-License-Identifier: Apache-2.0
//
// IndependentRows: whether a function computes each row of a dimension from
// that row of its inputs alone.

#ifndef MINIC_DIALECTS_GRAPH_INDEPENDENTROWS_H
#define MINIC_DIALECTS_GRAPH_INDEPENDENTROWS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/AffineExpr.h"
#include "llvm/ADT/DenseMap.h"

namespace minic::graph {

/// For each result of `function` the axis along which it has a row for each row
/// of the dimension that graph.dims of its arguments calls `dim`, or -1 where
/// it depends on none of them, or on the first. So a caller may add rows and
/// drop them from the results, whatever is in them. Failure is a diagnostic at
/// the op that mixes rows, or of which that cannot be told. Shapes are static,
/// and the dimension has several rows.
///
/// The proof follows an element's row, an affine expression of its index,
/// through the maps of each op.
mlir::FailureOr<llvm::SmallVector<int64_t>>
findIndependentRows(mlir::func::FuncOp function, llvm::StringRef dim);

/// The row of an element of each value that has one, as an affine expression of
/// the element's index; values without depend on no row. Values inside of ops
/// that hold their work as a region, fusions for one, have theirs as well.
using RowExpressions = llvm::DenseMap<mlir::Value, mlir::AffineExpr>;

/// The same proof, for who wants to know of values in between: failure says
/// nothing. `keepsElements`: ops of other dialects whose result has the
/// elements of their operand, wherever these lie in memory.
mlir::FailureOr<RowExpressions>
findRowExpressions(mlir::func::FuncOp function, llvm::StringRef dim,
                   llvm::function_ref<bool(mlir::Operation *)> keepsElements);

} // namespace minic::graph

#endif // MINIC_DIALECTS_GRAPH_INDEPENDENTROWS_H
