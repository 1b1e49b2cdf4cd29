// SPDX-License-Identifier: Apache-2.0
//
// A reshape splits channels in three, a transpose puts two parts behind height
// and width, a reshape joins them.

#include "passes/graph/layouts/ShufflePixels.h"

#include "passes/graph/layouts/ImageOp.h"
#include "passes/graph/raise/Match.h"

using namespace mlir;

namespace minic::graph {

/// The ops of a shuffle of NCHW.
struct Shuffle {
  ReshapeOp split, joined;
  TransposeOp moved;

  static std::optional<Shuffle> get(Operation *op) {
    auto joined = dyn_cast_if_present<ReshapeOp>(op);
    auto moved =
        joined ? joined.getInput().getDefiningOp<TransposeOp>() : TransposeOp();
    auto split =
        moved ? moved.getInput().getDefiningOp<ReshapeOp>() : ReshapeOp();
    if (!split || !split->hasOneUse() || !moved->hasOneUse() ||
        typeOf(split.getInput()).getRank() != 4) {
      return std::nullopt;
    }
    ArrayRef<int64_t> p = moved.getPermutation(),
                      from = typeOf(split.getInput()).getShape(),
                      parts = split.getType().getShape();
    // [N, c1, c2, c3, H, W] as [N, K, H, a, W, b].
    if (p.size() != 6 || p[0] != 0 || p[2] != 4 || p[4] != 5 ||
        parts[0] != from[0] || parts[4] != from[2] || parts[5] != from[3]) {
      return std::nullopt;
    }
    SmallVector<int64_t> shape = {from[0], parts[size_t(p[1])],
                                  from[2] * parts[size_t(p[3])],
                                  from[3] * parts[size_t(p[5])]};
    if (joined.getType().getShape() != ArrayRef(shape)) {
      return std::nullopt;
    }
    return Shuffle{split, joined, moved};
  }
};

Value shuffledImage(Operation *op) {
  auto shuffle = Shuffle::get(op);
  return shuffle ? Value(shuffle->split.getInput()) : Value();
}

namespace {

struct ShuffleNhwc : OpRewritePattern<TransposeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(TransposeOp op,
                                PatternRewriter &rewriter) const override {
    auto shuffle = Shuffle::get(op.getInput().getDefiningOp());
    auto back = shuffle ? shuffle->split.getInput().getDefiningOp<TransposeOp>()
                        : TransposeOp();
    if (!back || !shuffle->joined->hasOneUse() ||
        op.getPermutation() != permutationTo(ImageLayout::NHWC) ||
        back.getPermutation() != permutationTo(ImageLayout::NCHW)) {
      return rewriter.notifyMatchFailure(op, "no shuffle between relayouts");
    }
    Value image = back.getInput();
    ArrayRef<int64_t> p = shuffle->moved.getPermutation(),
                      from = typeOf(image).getShape(),
                      parts = shuffle->split.getType().getShape();
    auto type = typeOf(image);
    Value pixels = ReshapeOp::create(
        rewriter, op.getLoc(),
        type.clone({from[0], from[1], from[2], parts[1], parts[2], parts[3]}),
        image);
    Value shuffled = TransposeOp::create(
        rewriter, op.getLoc(), pixels,
        ArrayRef<int64_t>{0, 1, p[3] + 2, 2, p[5] + 2, p[1] + 2});
    rewriter.replaceOpWithNewOp<ReshapeOp>(op, op.getType(), shuffled);
    return success();
  }
};

} // namespace

void addShufflePixels(RewritePatternSet &patterns) {
  patterns.add<ShuffleNhwc>(patterns.getContext());
}

} // namespace minic::graph
