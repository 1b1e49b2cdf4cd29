// SPDX-License-Identifier: Apache-2.0
//
// What the rules of kernel-fuse ask about an op, or about a use of its operand.

#ifndef MINIC_PASSES_KERNEL_FUSIONCRITERIA_H
#define MINIC_PASSES_KERNEL_FUSIONCRITERIA_H

#include "dialects/graph/Graph.h"

#include "llvm/ADT/DenseSet.h"

namespace minic::kernel {

/// A kernel of the user's that stands for one pass over tensors of one shape.
bool isPointwiseKernel(mlir::Operation *op);

/// Any other kernel of the user's with one result: what follows may join it, as
/// it joins an anchor.
bool isKernelAnchor(mlir::Operation *op);

/// One pass over tensors of one shape, minic's or the user's.
bool isPointwise(mlir::Operation *op);

/// Whether `use` is what an anchor reduces: a matrix, say. No kernel computes
/// the input of a convolution while it reads it.
bool isReduced(mlir::OpOperand &use);

/// Whether `op` rewrites each row of its first operand by what it finds in the
/// row: softmax, a norm.
bool rewritesRows(mlir::Operation *op);

/// Computed in a few instructions, so that computing it once per use costs
/// less than going through memory.
bool isCheap(mlir::Operation *op);

/// Finds its one element instead of computing it: gather, concat, iota.
bool isFound(mlir::Operation *op);

/// Found from the index alone: iota.
bool isCounted(mlir::Operation *op);

/// Elements of another tensor in another order or fewer of them: strides.
bool isStrided(mlir::Operation *op);

/// Whether the user reads the elements of `use` one by one, wherever they are:
/// of query, key and value, of what is rotated, and of groups of channels.
bool isReadByStrides(mlir::OpOperand &use);

/// Whether `use` is what a rotary embedding turns pairs by: it reads those one
/// by one, too, and again for each head.
bool isTurn(mlir::OpOperand &use);

/// A slice that its readers may each read as strides.
bool isSlice(mlir::Operation *op);

/// Whether `tensor` is one of `states`, or a view of one.
bool isPartOf(mlir::Value tensor,
              const llvm::SmallDenseSet<mlir::Value> &states);

/// Whether `value` is a cache as attention reads it, with at most `mostRows`
/// new positions in place.
bool isUpdatedCache(mlir::Value value, int64_t mostRows);

/// Of an op with one result.
mlir::RankedTensorType resultType(mlir::Operation *op);

/// True if `op` reads at most as many bytes as it writes. Dynamic shapes are
/// not compared.
bool readsNoMoreThanItWrites(mlir::Operation *op);

} // namespace minic::kernel

#endif // MINIC_PASSES_KERNEL_FUSIONCRITERIA_H
