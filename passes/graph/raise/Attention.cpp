// SPDX-License-Identifier: Apache-2.0
//
// Two products with a softmax between them are graph.attention. It keeps scores
// in f32 and rounds weights once, so nothing is rounded more often than before.

#include "passes/graph/raise/AttentionMasks.h"
#include "passes/graph/raise/AttentionOperand.h"
#include "passes/graph/raise/AttentionScores.h"
#include "passes/graph/raise/Match.h"
#include "passes/graph/raise/Patterns.h"

#include <cmath>

using namespace mlir;

namespace minic::graph {

/// Batch is what is in front of the heads. Where both are one dimension, they
/// are as the query had them before, or all are heads.
static HeadShape headsOf(ArrayRef<int64_t> leading,
                         const AttentionOperand &query) {
  int64_t all = llvm::product_of(leading);
  if (leading.size() >= 2) {
    return {all / leading.back(), leading.back()};
  }
  ArrayRef<int64_t> shape = typeOf(query.value).getShape();
  bool isSplit = shape.size() == 4 && shape[0] * shape[1] == all;
  return isSplit ? HeadShape{shape[0], shape[1]} : HeadShape{1, all};
}

/// Successive heads that read one matrix of the right operand, because it
/// broadcasts.
static int64_t getRepeats(MatmulOp product) {
  ArrayRef<int64_t> rhs = typeOf(product.getRhs()).getShape().drop_back(2);
  ArrayRef<int64_t> all = product.getType().getShape().drop_back(2);
  bool isRepeated = rhs.size() == all.size() && !rhs.empty() &&
                    rhs.back() == 1 && rhs.drop_back() == all.drop_back();
  return isRepeated ? all.back() : 1;
}

namespace {

struct Operands {
  AttentionOperand query, key, value;

  Operands(MatmulOp scores, MatmulOp result, bool takesRepeats) {
    // Weights of 16 bits are rounded before the second product, as attention
    // rounds them. Those of f32 are not, whatever query and key were.
    bool isNarrow = !typeOf(result.getRhs()).getElementType().isF32();
    AttentionOperand::Through through{true, isNarrow, takesRepeats};
    query = AttentionOperand::get(scores.getLhs(), scores.getTransposeLhs(),
                                  through);
    key = AttentionOperand::get(scores.getRhs(), !scores.getTransposeRhs(),
                                through);
    value = AttentionOperand::get(result.getRhs(), result.getTransposeRhs(),
                                  {false, false, takesRepeats});
    key.repeats *= getRepeats(scores);
    value.repeats *= getRepeats(result);
  }

  bool isOfOneDtype(Type dtype) const {
    return llvm::all_of(ArrayRef({&query, &key, &value}),
                        [&](const AttentionOperand *each) {
                          return typeOf(each->value).getElementType() == dtype;
                        });
  }

  bool fits(HeadShape heads) const {
    return query.repeats == 1 && key.repeats == value.repeats &&
           heads.heads % key.repeats == 0 &&
           query.leadingElements() == heads.product() &&
           key.leadingElements() * key.repeats == heads.product() &&
           value.leadingElements() * key.repeats == heads.product();
  }
};

struct RaiseAttention : OpRewritePattern<MatmulOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(MatmulOp op,
                                PatternRewriter &rewriter) const override {
    if (op.getTransposeLhs()) {
      return rewriter.notifyMatchFailure(op, "the weights are transposed");
    }
    std::string reason;
    std::optional<AttentionScores> scores =
        AttentionScores::get(op.getLhsMutable(), reason);
    if (!scores) {
      return rewriter.notifyMatchFailure(op, reason);
    }
    Operands operands(scores->product, op, /*takesRepeats=*/true);
    HeadShape heads = headsOf(scores->leading, operands.query);
    if (!operands.fits(heads)) {
      operands = Operands(scores->product, op, /*takesRepeats=*/false);
      if (!operands.fits(heads)) {
        return rewriter.notifyMatchFailure(op, "products that broadcast");
      }
    }
    if (!operands.isOfOneDtype(op.getType().getElementType())) {
      return rewriter.notifyMatchFailure(op, "operands of several dtypes");
    }
    double scale = scores->scale * operands.query.factor * operands.key.factor;
    if (!(scale > 0) || !std::isfinite(scale)) {
      return rewriter.notifyMatchFailure(op, "a scale that is not above 0");
    }
    std::optional<AttentionMasks> masks =
        AttentionMasks::get(*scores, heads, reason);
    if (!masks) {
      return rewriter.notifyMatchFailure(op, reason);
    }
    raise(op, *scores, operands, *masks, heads, scale, rewriter);
    return success();
  }

private:
  static void raise(MatmulOp op, const AttentionScores &scores,
                    const Operands &operands, const AttentionMasks &masks,
                    HeadShape heads, double scale, PatternRewriter &rewriter) {
    Location loc =
        rewriter.getFusedLoc({scores.product->getLoc(), op->getLoc()});
    int64_t keyHeads = heads.heads / operands.key.repeats;
    Value query =
        operands.query.asHeads(rewriter, loc, heads.batch, heads.heads);
    Value key = operands.key.asHeads(rewriter, loc, heads.batch, keyHeads);
    Value value = operands.value.asHeads(rewriter, loc, heads.batch, keyHeads);
    SmallVector<int64_t> shape(typeOf(query).getShape());
    shape.back() = typeOf(value).getShape().back();
    RankedTensorType type = op.getType().clone(shape);
    Value result =
        AttentionOp::create(
            rewriter, loc, type, /*log_sum_exp=*/Type(), query, key, value,
            masks.build(rewriter, loc), /*key_length=*/Value(),
            rewriter.getF64FloatAttr(scale),
            scores.softCap ? rewriter.getF64FloatAttr(*scores.softCap)
                           : FloatAttr(),
            CausalAttr::get(op.getContext(), Causal::None),
            /*window=*/IntegerAttr(), /*with_log_sum_exp=*/UnitAttr())
            .getResult();
    if (type != op.getType()) {
      result = ReshapeOp::create(rewriter, loc, op.getType(), result);
    }
    rewriter.replaceOp(op, result);
  }
};

} // namespace

void populateRaiseAttention(RewritePatternSet &patterns) {
  patterns.add<RaiseAttention>(patterns.getContext());
}

} // namespace minic::graph
