// SPDX-License-Identifier: Apache-2.0
//
// group_norm of what exporters make of it: the groups as channels of their own,
// normalised with scales that are 1 and biases that are 0, reshaped back, then
// scaled per channel.

#include "passes/graph/raise/Match.h"
#include "passes/graph/raise/Patterns.h"

using namespace mlir;

namespace minic::graph {

/// Absent, or a constant that changes nothing.
static bool isTrivial(Value parameter, double neutral) {
  return !parameter || scalarOf(parameter) == neutral;
}

namespace {

/// A norm of groups, of which nothing is scaled.
struct PlainGroups {
  Value input;
  double epsilon = 0;
};

} // namespace

static std::optional<PlainGroups> plainGroups(Value value) {
  if (auto norm = value.getDefiningOp<GroupNormOp>()) {
    bool isPlain = int64_t(norm.getGroups()) == norm.getType().getShape()[1] &&
                   isTrivial(norm.getScale(), 1) &&
                   isTrivial(norm.getBias(), 0);
    return isPlain ? std::optional(PlainGroups{
                         norm.getInput(), norm.getEpsilon().convertToDouble()})
                   : std::nullopt;
  }
  auto norm = value.getDefiningOp<LayerNormOp>();
  bool isPlain = norm && norm.getAxis() == 2 && isTrivial(norm.getScale(), 1) &&
                 isTrivial(norm.getBias(), 0);
  return isPlain ? std::optional(PlainGroups{
                       norm.getInput(), norm.getEpsilon().convertToDouble()})
                 : std::nullopt;
}

namespace {

/// A reshape to [N, groups, ...], a norm over the rest, and a reshape back.
struct RaiseGroups : OpRewritePattern<ReshapeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ReshapeOp op,
                                PatternRewriter &rewriter) const override {
    std::optional<PlainGroups> norm = plainGroups(op.getInput());
    if (!norm) {
      return rewriter.notifyMatchFailure(op, "no norm of groups, unscaled");
    }
    auto split = norm->input.getDefiningOp<ReshapeOp>();
    if (!split || split.getInput().getType() != op.getType()) {
      return rewriter.notifyMatchFailure(op, "the groups are no reshape");
    }
    ArrayRef<int64_t> whole = op.getType().getShape();
    ArrayRef<int64_t> groups = split.getType().getShape();
    if (whole.size() < 3 || groups.size() < 3 || whole[0] != groups[0] ||
        ShapedType::isDynamicShape(whole) || whole[1] % groups[1] != 0) {
      return rewriter.notifyMatchFailure(op, "not groups of channels");
    }
    rewriter.replaceOpWithNewOp<GroupNormOp>(
        op, op.getType(), split.getInput(), /*scale=*/Value(), /*bias=*/Value(),
        uint64_t(groups[1]), APFloat(norm->epsilon));
    return success();
  }
};

} // namespace

/// A constant [C] of one that varies along dimension 1 of `type` only.
static Value perChannel(PatternRewriter &rewriter, Value value,
                        RankedTensorType type) {
  if (!isKnown(value)) {
    return nullptr;
  }
  RankedTensorType own = typeOf(value);
  SmallVector<int64_t> wanted(type.getRank() - 1, 1);
  wanted.front() = type.getShape()[1];
  if (own.getElementType() != type.getElementType() ||
      withoutLeadingOnes(own.getShape(), wanted.size()) != ArrayRef(wanted)) {
    return nullptr;
  }
  return ReshapeOp::create(rewriter, value.getLoc(),
                           own.clone(ArrayRef(wanted).take_front()), value);
}

namespace {

/// group_norm(x) * scale + bias, each per channel.
template <typename RootOp> struct ScaleGroups : OpRewritePattern<RootOp> {
  using OpRewritePattern<RootOp>::OpRewritePattern;

  LogicalResult matchAndRewrite(RootOp op,
                                PatternRewriter &rewriter) const override {
    constexpr bool isScale = std::is_same_v<RootOp, MulOp>;
    for (bool swapped : {false, true}) {
      auto [normal, parameter] = operandsOf(op, swapped);
      auto norm = normal.template getDefiningOp<GroupNormOp>();
      if (!norm || !norm->hasOneUse() || norm.getBias() ||
          (isScale && norm.getScale()) || norm.getType() != op.getType()) {
        continue;
      }
      Value channels = perChannel(rewriter, parameter, op.getType());
      if (!channels) {
        continue;
      }
      rewriter.replaceOpWithNewOp<GroupNormOp>(
          op, op.getType(), norm.getInput(),
          isScale ? channels : norm.getScale(), isScale ? Value() : channels,
          norm.getGroups(), norm.getEpsilon());
      return success();
    }
    return rewriter.notifyMatchFailure(op, "no norm and one number a channel");
  }
};

} // namespace

void populateRaiseGroupNorm(RewritePatternSet &patterns) {
  patterns.add<RaiseGroups, ScaleGroups<MulOp>, ScaleGroups<AddOp>>(
      patterns.getContext());
}

} // namespace minic::graph
