// SPDX-License-Identifier: Apache-2.0
//
// One form of an attention, wherever it comes from: masks that are known become
// attributes, others their smallest shape; repeated heads of key and value are
// shared instead; 1 / sqrt(D) is what no scale means.

#include "passes/graph/raise/AttentionOperand.h"
#include "passes/graph/raise/KnownMask.h"
#include "passes/graph/raise/Match.h"
#include "passes/graph/raise/Patterns.h"

#include <cmath>

using namespace mlir;

namespace minic::graph {

namespace {

//===----------------------------------------------------------------------===//
// Masks
//===----------------------------------------------------------------------===//

struct MaskPattern : OpRewritePattern<AttentionOp> {
  using OpRewritePattern::OpRewritePattern;

protected:
  static int64_t queriesOf(AttentionOp op) {
    return op.getQuery().getType().getDimSize(2);
  }
  static int64_t keysOf(AttentionOp op) {
    return op.getKey().getType().getDimSize(2);
  }
  static void setMask(AttentionOp op, Value mask, PatternRewriter &rewriter) {
    rewriter.modifyOpInPlace(op, [&] {
      if (mask) {
        op.getMaskMutable().assign(mask);
      } else {
        op.getMaskMutable().clear();
      }
    });
  }
};

/// Attention broadcasts masks itself.
struct DropBroadcastOfMask : MaskPattern {
  using MaskPattern::MaskPattern;

  LogicalResult matchAndRewrite(AttentionOp op,
                                PatternRewriter &rewriter) const override {
    Value mask = op.getMask();
    if (!mask || withoutBroadcast(mask) == mask) {
      return rewriter.notifyMatchFailure(op, "no mask that is broadcast");
    }
    setMask(op, withoutBroadcast(mask), rewriter);
    return success();
  }
};

/// 0 for keys that take part and -infinity for others is an i1.
struct SelectedMask : MaskPattern {
  using MaskPattern::MaskPattern;

  LogicalResult matchAndRewrite(AttentionOp op,
                                PatternRewriter &rewriter) const override {
    Value mask = op.getMask();
    auto select = mask ? mask.getDefiningOp<SelectOp>() : SelectOp();
    if (!select) {
      return rewriter.notifyMatchFailure(op, "the mask is not selected");
    }
    std::optional<double> onTrue = scalarOf(select.getOnTrue());
    std::optional<double> onFalse = scalarOf(select.getOnFalse());
    Value condition = select.getCondition();
    if (onTrue == 0.0 && onFalse == -INFINITY) {
      setMask(op, condition, rewriter);
      return success();
    }
    if (onTrue == -INFINITY && onFalse == 0.0) {
      setMask(op,
              NotOp::create(rewriter, mask.getLoc(), condition.getType(),
                            condition),
              rewriter);
      return success();
    }
    return rewriter.notifyMatchFailure(op, "not between 0 and -infinity");
  }
};

/// A constant: none, a band, or without dimensions along which it is the same.
struct KnownMaskPattern : MaskPattern {
  using MaskPattern::MaskPattern;

  LogicalResult matchAndRewrite(AttentionOp op,
                                PatternRewriter &rewriter) const override {
    Value mask = op.getMask();
    std::optional<KnownMask> whole = mask ? KnownMask::get(mask) : std::nullopt;
    if (!whole) {
      return rewriter.notifyMatchFailure(op, "the mask is not known");
    }
    KnownMask known = whole->smallest();
    if (!known.isBool()) {
      // The lowest f32 leaves out a key beside one that takes part.
      bool leavesOut = known.isZeroOrAtMost(-INFINITY) ||
                       (known.isZeroOrAtMost(lowestScore) &&
                        known.asBool().hasKeyInEachRow());
      known = leavesOut ? known.asBool() : known;
    }
    bool mayBeBand = op.getCausal() == Causal::None && !op.getWindow();
    std::optional<KeyBand> band = known.asBand(queriesOf(op), keysOf(op));
    bool isAll = band && band->causal == Causal::None && !band->window;
    // Behind the end of the keys, the last query's position is another.
    bool isFixed =
        !band || !op.getKeyLength() || band->causal != Causal::LowerRight;
    if (isAll) {
      setMask(op, nullptr, rewriter);
      return success();
    }
    if (band && mayBeBand && isFixed) {
      setMask(op, nullptr, rewriter);
      setBand(op, *band, rewriter);
      return success();
    }
    Type dtype = known.isBool() ? Type(rewriter.getI1Type())
                                : typeOf(mask).getElementType();
    auto shape = withoutLeadingOnes(known.shape());
    // What folding left, because it would be large, stays.
    bool isLeft = !mask.getDefiningOp<ConstantOp>();
    if (isLeft || typeOf(mask) == RankedTensorType::get(shape, dtype)) {
      return rewriter.notifyMatchFailure(op, "the mask is as small as can be");
    }
    setMask(op,
            ConstantOp::create(rewriter, mask.getLoc(), known.attribute(dtype)),
            rewriter);
    return success();
  }

  static void setBand(AttentionOp op, const KeyBand &band,
                      PatternRewriter &rewriter) {
    rewriter.modifyOpInPlace(op, [&] {
      op.setCausal(band.causal);
      if (band.window) {
        op.setWindow(*band.window);
      }
    });
  }
};

/// One of several conditions that is known becomes an attribute.
struct SplitMask : MaskPattern {
  using MaskPattern::MaskPattern;

  LogicalResult matchAndRewrite(AttentionOp op,
                                PatternRewriter &rewriter) const override {
    Value mask = op.getMask();
    if (!mask || !mask.getDefiningOp<AndOp>()) {
      return rewriter.notifyMatchFailure(op, "not several conditions");
    }
    SmallVector<Value> conditions, kept;
    collect(mask, conditions);
    std::optional<KeyBand> found;
    bool hasBand = op.getCausal() != Causal::None || op.getWindow();
    for (Value condition : conditions) {
      std::optional<KnownMask> known = KnownMask::get(condition);
      std::optional<KeyBand> band =
          known ? known->smallest().asBand(queriesOf(op), keysOf(op))
                : std::nullopt;
      bool isAll = band && band->causal == Causal::None && !band->window;
      bool isFixed =
          band && (!op.getKeyLength() || band->causal != Causal::LowerRight);
      if (isAll) {
        continue;
      }
      if (isFixed && !hasBand) {
        found = band;
        hasBand = true;
      } else {
        kept.push_back(condition);
      }
    }
    if (kept.size() == conditions.size()) {
      return rewriter.notifyMatchFailure(op, "no condition is known");
    }
    Value rest;
    for (Value condition : kept) {
      rest = rest ? AndOp::create(rewriter, mask.getLoc(), rest, condition)
                        .getResult()
                  : condition;
    }
    setMask(op, rest, rewriter);
    if (found) {
      KnownMaskPattern::setBand(op, *found, rewriter);
    }
    return success();
  }

private:
  static void collect(Value mask, SmallVectorImpl<Value> &conditions) {
    mask = withoutBroadcast(mask);
    if (auto both = mask.getDefiningOp<AndOp>()) {
      collect(both.getLhs(), conditions);
      collect(both.getRhs(), conditions);
    } else if (!llvm::is_contained(conditions, mask)) {
      conditions.push_back(mask);
    }
  }
};

//===----------------------------------------------------------------------===//
// Heads and scale
//===----------------------------------------------------------------------===//

/// Heads of the query share one of key and value instead of reading copies.
struct ShareHeads : OpRewritePattern<AttentionOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(AttentionOp op,
                                PatternRewriter &rewriter) const override {
    auto key = AttentionOperand::get(op.getKey(), false, {});
    auto value = AttentionOperand::get(op.getValue(), false, {});
    int64_t repeats = key.repeats;
    if (repeats == 1 || value.repeats != repeats) {
      return rewriter.notifyMatchFailure(op, "key and value are not repeated");
    }
    int64_t batch = op.getKey().getType().getDimSize(0);
    int64_t heads = op.getKey().getType().getDimSize(1);
    if (heads % repeats != 0) {
      return rewriter.notifyMatchFailure(op, "the batch is repeated");
    }
    Location loc = op.getLoc();
    Value sharedKey = key.asHeads(rewriter, loc, batch, heads / repeats);
    Value sharedValue = value.asHeads(rewriter, loc, batch, heads / repeats);
    rewriter.modifyOpInPlace(op, [&] {
      op.getKeyMutable().assign(sharedKey);
      op.getValueMutable().assign(sharedValue);
    });
    return success();
  }
};

/// Heads that share a key, written as the rows of one head, are heads again:
/// a single query of each, [B, G * n, 1, D] as [B, G, n, D].
struct RowsToHeads : OpRewritePattern<AttentionOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(AttentionOp op,
                                PatternRewriter &rewriter) const override {
    RankedTensorType rows = op.getQuery().getType();
    auto reshape = op.getQuery().getDefiningOp<ReshapeOp>();
    if (!reshape || !rows.hasStaticShape() ||
        rows.getDimSize(1) != op.getKey().getType().getDimSize(1)) {
      return rewriter.notifyMatchFailure(op, "the query is not reshaped");
    }
    ArrayRef<int64_t> from = typeOf(reshape.getInput()).getShape();
    bool isOneQuery = from.size() == 4 && from[0] == rows.getDimSize(0) &&
                      from[2] == 1 && from[3] == rows.getDimSize(3) &&
                      rows.getDimSize(2) != 1;
    if (!isOneQuery) {
      return rewriter.notifyMatchFailure(op, "not of a single query");
    }
    Value mask = op.getMask();
    ArrayRef<int64_t> shape =
        mask ? typeOf(mask).getShape() : from.take_back(0);
    // Where rows are places, they are no heads.
    bool isOfKeys =
        llvm::all_of(shape.drop_back(shape.empty() ? 0 : 1).take_back(2),
                     [](int64_t size) { return size == 1; });
    if (!isOfKeys || op.getCausal() != Causal::None || op.getWindow() ||
        op.getLogSumExp()) {
      return rewriter.notifyMatchFailure(op, "rows that differ");
    }
    SmallVector<int64_t> heads(from);
    heads.back() = op.getResult().getType().getDimSize(3);
    rewriter.setInsertionPointAfter(op);
    RankedTensorType type = op.getResult().getType();
    auto grouped = cast<AttentionOp>(rewriter.clone(*op));
    grouped.getQueryMutable().assign(reshape.getInput());
    grouped.getResult().setType(type.clone(heads));
    rewriter.replaceOpWithNewOp<ReshapeOp>(op, type, grouped.getResult());
    return success();
  }
};

/// A scale that is 1 / sqrt(D), as f32 has it, need not be said. Exporters
/// write its root twice, rounded each time.
struct DropUsualScale : OpRewritePattern<AttentionOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(AttentionOp op,
                                PatternRewriter &rewriter) const override {
    auto depth = double(op.getQuery().getType().getDimSize(3));
    if (!op.getScale() ||
        !isNear(op.getScale()->convertToDouble(), 1 / std::sqrt(depth),
                rewriter.getF32Type())) {
      return rewriter.notifyMatchFailure(op, "a scale of its own");
    }
    rewriter.modifyOpInPlace(op, [&] { op.removeScaleAttr(); });
    return success();
  }
};

} // namespace

void populateSimplifyAttention(RewritePatternSet &patterns) {
  patterns.add<DropBroadcastOfMask, SelectedMask, KnownMaskPattern, SplitMask,
               ShareHeads, RowsToHeads, DropUsualScale>(patterns.getContext());
}

} // namespace minic::graph
