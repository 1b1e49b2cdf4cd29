// SPDX-License-Identifier: Apache-2.0
//
// Views: tensors that lie inside of another one, so that nobody copies them.

#ifndef MINIC_DIALECTS_GRAPH_VIEWS_H
#define MINIC_DIALECTS_GRAPH_VIEWS_H

#include "dialects/graph/Graph.h"

namespace minic::graph {

/// Where a view begins is a multiple of this many bytes: kernels take it for
/// the alignment of every tensor.
inline constexpr int64_t viewAlignment = 64;

/// How many bytes into its operand the result of `op` begins if it is dense
/// there, as that of a reshape or of a slice of rows is; none where the result
/// is no view.
std::optional<int64_t> getViewOffset(mlir::Operation *op);

/// Where each operand of `concat` begins in the result, in bytes, if it is
/// dense there; none where an operand is strided or not aligned.
std::optional<llvm::SmallVector<int64_t>> getPieceOffsets(ConcatOp concat);

/// Whether `op` needs no kernel: it is a view, or a concat of dense pieces of
/// which at least one is computed, so that its producer can write it there.
bool isView(mlir::Operation *op);

} // namespace minic::graph

#endif // MINIC_DIALECTS_GRAPH_VIEWS_H
