// SPDX-License-Identifier: Apache-2.0
//
// Products with constant matrices are graph.linear, whose weight is [N, K]:
// graph-fold-constants transposes what is [K, N]. A bias that is added is the
// linear's. No rounding changes: the product was stored nowhere.

#include "passes/graph/raise/KnownValues.h"
#include "passes/graph/raise/Match.h"
#include "passes/graph/raise/Patterns.h"

using namespace mlir;

namespace minic::graph {

namespace {

/// x * constant is a linear.
struct RaiseMatmul : OpRewritePattern<MatmulOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(MatmulOp op,
                                PatternRewriter &rewriter) const override {
    Value weight = op.getRhs();
    if (!isKnown(weight)) {
      return rewriter.notifyMatchFailure(op,
                                         "the right operand is no constant");
    }
    if (op.getTransposeLhs()) {
      return rewriter.notifyMatchFailure(op, "the left operand is transposed");
    }
    ArrayRef<int64_t> shape = typeOf(weight).getShape();
    if (withoutLeadingOnes(shape, 2).size() != 2 ||
        op.getType().getRank() != typeOf(op.getLhs()).getRank()) {
      return rewriter.notifyMatchFailure(op, "a batch of matrices");
    }
    Type dtype = op.getType().getElementType();
    if (!dtype.isInteger() && dtype != typeOf(op.getLhs()).getElementType()) {
      return rewriter.notifyMatchFailure(op, "the result is wider");
    }
    if (shape.size() != 2) {
      weight =
          ReshapeOp::create(rewriter, op.getLoc(),
                            typeOf(weight).clone(shape.take_back(2)), weight);
    }
    if (!op.getTransposeRhs()) {
      weight = TransposeOp::create(rewriter, op.getLoc(), weight,
                                   ArrayRef<int64_t>{1, 0});
    }
    rewriter.replaceOpWithNewOp<LinearOp>(op, op.getType(), op.getLhs(), weight,
                                          /*bias=*/Value());
    return success();
  }
};

/// A vector that is added to every row.
struct AddBias : OpRewritePattern<AddOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(AddOp op,
                                PatternRewriter &rewriter) const override {
    for (bool swapped : {false, true}) {
      auto [product, bias] = operandsOf(op, swapped);
      auto linear = product.getDefiningOp<LinearOp>();
      if (!linear || linear.getBias() || !linear->hasOneUse() ||
          linear.getType() != op.getType()) {
        continue;
      }
      int64_t columns = op.getType().getShape().back();
      RankedTensorType type = typeOf(bias);
      // What is computed and has rows is a residual, even if it has one row.
      if (type.getRank() != 1 && !isKnown(bias)) {
        continue;
      }
      if (withoutLeadingOnes(type.getShape(), 1) != ArrayRef(columns)) {
        continue;
      }
      if (type.getRank() != 1) {
        bias = ReshapeOp::create(rewriter, op.getLoc(), type.clone({columns}),
                                 bias);
      }
      rewriter.replaceOpWithNewOp<LinearOp>(op, op.getType(), linear.getInput(),
                                            linear.getWeight(), bias);
      return success();
    }
    return rewriter.notifyMatchFailure(op, "no linear and a vector");
  }
};

/// A bias of zeros, which some exporters leave out.
struct DropZeroBias : OpRewritePattern<LinearOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(LinearOp op,
                                PatternRewriter &rewriter) const override {
    std::optional<KnownValues> bias =
        op.getBias() ? KnownValues::get(op.getBias()) : std::nullopt;
    if (!bias || llvm::any_of(bias->elements,
                              [](float element) { return element != 0; })) {
      return rewriter.notifyMatchFailure(op, "no bias of zeros");
    }
    rewriter.modifyOpInPlace(op, [&] { op.getBiasMutable().clear(); });
    return success();
  }
};

} // namespace

void populateRaiseLinear(RewritePatternSet &patterns) {
  patterns.add<RaiseMatmul, AddBias, DropZeroBias>(patterns.getContext());
}

} // namespace minic::graph
