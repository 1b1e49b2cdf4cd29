// SPDX-License-Identifier: Apache-2.0
//
// ImageDomain: which tensors of a block are images, and in which order the
// model has each. Convolutions, pools and resizes say so; ops that can compute
// in either order, and transposes between the two, pass it on.

#ifndef MINIC_PASSES_GRAPH_LAYOUTS_IMAGEDOMAIN_H
#define MINIC_PASSES_GRAPH_LAYOUTS_IMAGEDOMAIN_H

#include "passes/graph/layouts/ImageOp.h"

#include "mlir/IR/Block.h"
#include "llvm/ADT/MapVector.h"

namespace minic::graph {

class ImageDomain {
public:
  explicit ImageDomain(mlir::Block &block);

  /// The order that the model has `value` in; none if it is no image.
  std::optional<ImageLayout> layoutOf(mlir::Value value) const {
    auto found = layouts.find(value);
    return found == layouts.end() ? std::nullopt : std::optional(found->second);
  }
  /// In the order in which they were found.
  const llvm::MapVector<mlir::Value, ImageLayout> &images() const {
    return layouts;
  }

  /// Of an op that may compute in either order.
  const ImageOp *find(mlir::Operation *op) const {
    auto found = ops.find(op);
    return found == ops.end() ? nullptr : &found->second;
  }
  /// The order that the model has the images of such an op in.
  ImageLayout layoutOf(const ImageOp &image) const;

  /// A transpose of an image to the other order: another name of the image.
  bool isAlias(mlir::Operation *op) const { return aliases.contains(op); }

  /// The image of NCHW that `op`, an image too, shuffles, in either order at
  /// the same cost; null for other ops.
  mlir::Value shuffledBy(mlir::Operation *op) const;

  /// The NHWC pixels of an image that the model has as rows, [N, H * W, C]:
  /// `transpose [0, 2, 1]` of `reshape` of an image of NCHW. The image; null
  /// for other ops.
  mlir::Value rowsOf(mlir::Operation *transpose) const;
  /// The other way round, what the rows are of `reshape`, an image of NCHW.
  mlir::Value rowsBehind(mlir::Operation *reshape) const;

private:
  /// Says that `value` is in `layout`; false if it is in the other one.
  bool say(mlir::Value value, ImageLayout layout);
  void visit(mlir::Operation *op);
  void visitTranspose(TransposeOp op);

  llvm::MapVector<mlir::Value, ImageLayout> layouts;
  llvm::DenseMap<mlir::Operation *, ImageOp> ops;
  llvm::DenseSet<mlir::Operation *> aliases, refused;
  llvm::SmallVector<mlir::Value> left; // whose neighbours are to be visited
};

} // namespace minic::graph

#endif // MINIC_PASSES_GRAPH_LAYOUTS_IMAGEDOMAIN_H
