// SPDX-License-Identifier: Apache-2.0
//
// GlobalPool: a reduction over all pixels of an image, as a pool. Kernels of
// pools go along channels, those of reductions along rows; which is faster
// depends on the order and on the target.

#ifndef MINIC_PASSES_GRAPH_LAYOUTS_GLOBALPOOL_H
#define MINIC_PASSES_GRAPH_LAYOUTS_GLOBALPOOL_H

#include "passes/graph/layouts/ImageOp.h"

namespace minic::graph {

/// Whether `op` is a mean, sum or maximum of floats over the height and width
/// of an image that the model has in `layout`.
bool isGlobalPool(mlir::Operation *op, ImageLayout layout);

/// The pool of `image`, which is in `layout`, that computes such an `op`. Its
/// result has an extent of 1 where a pixel was.
Pool2dOp createGlobalPool(mlir::OpBuilder &builder, ReduceOp op,
                          ImageLayout layout, mlir::Value image);

} // namespace minic::graph

#endif // MINIC_PASSES_GRAPH_LAYOUTS_GLOBALPOOL_H
