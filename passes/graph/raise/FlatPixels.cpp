// SPDX-License-Identifier: Apache-2.0
//
// A convolution along one dimension is one of images that are one pixel high.
// Importers add that dimension and take it away again around each. What is
// computed between two of them belongs to images too: without the reshapes the
// kernel of the first has it, and both can be in another order of dimensions.

#include "passes/graph/raise/Match.h"
#include "passes/graph/raise/Patterns.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace minic::graph {

/// Pointwise ops between an image and what made it are few.
constexpr int kMostBetween = 8;

/// Whether `value` is an image, or pointwise ops made it of one.
static bool isImage(Value value, int left = kMostBetween) {
  Operation *producer = value.getDefiningOp();
  if (!producer || left == 0 || typeOf(value).getRank() != 4) {
    return false;
  }
  if (isa<Conv2dOp, ConvTranspose2dOp, Pool2dOp, ResizeOp>(producer)) {
    return true;
  }
  return isa<PointwiseOpInterface>(producer) &&
         llvm::any_of(producer->getOperands(), [&](Value operand) {
           return isImage(operand, left - 1);
         });
}

namespace {

/// A pointwise op of flattened images and of scalars is one of the images.
struct UnflattenPixels : OpInterfaceRewritePattern<PointwiseOpInterface> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;

  LogicalResult matchAndRewrite(PointwiseOpInterface op,
                                PatternRewriter &rewriter) const override {
    Value result = op->getResult(0);
    ArrayRef<int64_t> image;
    SmallVector<Value> operands;
    for (Value operand : op->getOperands()) {
      RankedTensorType type = typeOf(operand);
      if (type.hasStaticShape() && type.getNumElements() == 1) {
        operands.push_back(operand);
        continue;
      }
      auto flat = operand.getDefiningOp<ReshapeOp>();
      if (!flat || !flat->hasOneUse() || !isImage(flat.getInput()) ||
          type.getShape() != typeOf(result).getShape() || type.getRank() >= 4) {
        return rewriter.notifyMatchFailure(op, "no flattened images");
      }
      ArrayRef<int64_t> shape = typeOf(flat.getInput()).getShape();
      if (!image.empty() && shape != image) {
        return rewriter.notifyMatchFailure(op, "images of two shapes");
      }
      image = shape;
      operands.push_back(flat.getInput());
    }
    if (image.empty()) {
      return rewriter.notifyMatchFailure(op, "scalars alone");
    }
    Operation *made = rewriter.clone(*op);
    made->setOperands(operands);
    made->getResult(0).setType(typeOf(result).clone(image));
    rewriter.replaceOpWithNewOp<ReshapeOp>(op, result.getType(),
                                           made->getResult(0));
    return success();
  }
};

} // namespace

void populateRaiseFlatPixels(RewritePatternSet &patterns) {
  patterns.add<UnflattenPixels>(patterns.getContext());
}

} // namespace minic::graph
