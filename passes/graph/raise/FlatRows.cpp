// SPDX-License-Identifier: Apache-2.0
//
// Exporters make a matrix of all rows for a product of two matrices, and shape
// its result back. A linear has rows of any dimensions: without the reshapes
// its kernel computes what reads the result, and one model has one form. The
// same of norms, which Keras computes so.

#include "passes/graph/raise/Match.h"
#include "passes/graph/raise/Patterns.h"

using namespace mlir;

namespace minic::graph {

/// `shape` with `columns` in the place of the last dimension.
static SmallVector<int64_t> withColumns(ArrayRef<int64_t> shape,
                                        int64_t columns) {
  SmallVector<int64_t> result(shape);
  result.back() = columns;
  return result;
}

namespace {

/// The linear of a reshape that is reshaped by all of its readers.
struct UnflattenRows : OpRewritePattern<LinearOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(LinearOp op,
                                PatternRewriter &rewriter) const override {
    auto flat = op.getInput().getDefiningOp<ReshapeOp>();
    if (!flat || !flat.getType().hasStaticShape() || op->use_empty() ||
        !llvm::all_of(op->getUsers(), llvm::IsaPred<ReshapeOp>)) {
      return rewriter.notifyMatchFailure(op, "not between reshapes");
    }
    ArrayRef<int64_t> shape = rowsOf(op, flat);
    // Only ever more dimensions, so that it ends.
    if (int64_t(shape.size()) <= flat.getType().getRank()) {
      return rewriter.notifyMatchFailure(op, "no reshape flattens rows alone");
    }
    auto input = withColumns(shape, flat.getType().getShape().back());
    auto result = withColumns(shape, op.getType().getShape().back());
    Value rows = ReshapeOp::create(
        rewriter, flat.getLoc(), flat.getType().clone(input), flat.getInput());
    Value product =
        LinearOp::create(rewriter, op.getLoc(), op.getType().clone(result),
                         rows, op.getWeight(), op.getBias());
    rewriter.replaceOpWithNewOp<ReshapeOp>(op, op.getType(), product);
    return success();
  }

private:
  /// A shape whose rows are those of the linear: of what is flattened in front,
  /// else of what is made of the result; empty if there is none.
  static ArrayRef<int64_t> rowsOf(LinearOp op, ReshapeOp flat) {
    ArrayRef<int64_t> before = typeOf(flat.getInput()).getShape();
    if (!before.empty() && before.back() == flat.getType().getShape().back()) {
      return before;
    }
    auto after = cast<ReshapeOp>(*op->getUsers().begin());
    ArrayRef<int64_t> made = after.getType().getShape();
    bool keepsColumns = op->hasOneUse() && !made.empty() &&
                        made.back() == op.getType().getShape().back();
    return keepsColumns ? made : ArrayRef<int64_t>();
  }
};

/// The norm of flattened rows, where no scale or bias is of their number.
template <typename NormOp> struct UnflattenNorm : OpRewritePattern<NormOp> {
  using OpRewritePattern<NormOp>::OpRewritePattern;

  LogicalResult matchAndRewrite(NormOp op,
                                PatternRewriter &rewriter) const override {
    auto flat = op.getInput().template getDefiningOp<ReshapeOp>();
    if (!flat || !flat.getType().hasStaticShape() || op->use_empty() ||
        !llvm::all_of(op->getUsers(), llvm::IsaPred<ReshapeOp>)) {
      return rewriter.notifyMatchFailure(op, "not between reshapes");
    }
    RankedTensorType given = typeOf(flat.getInput());
    int64_t rank = flat.getType().getRank();
    if (int64_t(op.getAxis()) != rank - 1 || given.getRank() <= rank ||
        given.getShape().back() != flat.getType().getShape().back()) {
      return rewriter.notifyMatchFailure(op, "no reshape flattens rows alone");
    }
    auto *norm = rewriter.clone(*op);
    norm->setOperand(0, flat.getInput());
    norm->getResult(0).setType(given);
    cast<NormOp>(norm).setAxis(given.getRank() - 1);
    rewriter.replaceOpWithNewOp<ReshapeOp>(op, op.getType(),
                                           norm->getResult(0));
    return success();
  }
};

} // namespace

void populateRaiseFlatRows(RewritePatternSet &patterns) {
  patterns
      .add<UnflattenRows, UnflattenNorm<LayerNormOp>, UnflattenNorm<RmsNormOp>>(
          patterns.getContext());
}

} // namespace minic::graph
