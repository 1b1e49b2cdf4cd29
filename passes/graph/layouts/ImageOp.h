// SPDX-License-Identifier: Apache-2.0
//
// ImageOp: an op that can compute on images in either order, NCHW or NHWC, and
// how it is written in the other one.

#ifndef MINIC_PASSES_GRAPH_LAYOUTS_IMAGEOP_H
#define MINIC_PASSES_GRAPH_LAYOUTS_IMAGEOP_H

#include "dialects/graph/Graph.h"

#include <optional>

namespace minic::graph {

/// The permutation that takes images of the other order to `layout`.
llvm::ArrayRef<int64_t> permutationTo(ImageLayout layout);
ImageLayout otherLayout(ImageLayout layout);

/// The order that the op's own attribute says; none for ops without one.
std::optional<ImageLayout> statedLayout(mlir::Operation *op);

/// A tensor that may be an image: four static dimensions, not all of it known
/// at compile time.
bool mayBeImage(mlir::Value value);

/// Whether both orders of a tensor of this shape are the same bytes.
bool isSameInBoth(mlir::Value value);

struct ImageOp {
  mlir::Operation *op;
  /// The operands that are images; others follow the order at no cost
  /// (constants, what is broadcast) or have none (filters).
  llvm::SmallVector<unsigned> images;
  /// The operands that are broadcast with the images.
  llvm::SmallVector<unsigned> followers;
  /// Its only result is an image.
  bool givesImage = true;

  /// None where `op` is bound to the order of its dimensions.
  static std::optional<ImageOp> get(mlir::Operation *op);

  /// The same op in the other order, to `layout`. `operands`: images in that
  /// order already, others as they are.
  mlir::Operation *create(mlir::OpBuilder &builder, ImageLayout layout,
                          mlir::ValueRange operands) const;
};

} // namespace minic::graph

#endif // MINIC_PASSES_GRAPH_LAYOUTS_IMAGEOP_H
