// SPDX-License-Identifier: Apache-2.0
//
// rms_norm and layer_norm of their arithmetic. layer_norm is rms_norm of what
// is centred, so it is raised in that order: x / sqrt(mean(x^2) + epsilon),
// then x - mean(x) in front, then scale and bias behind.
//
// A cast between the norm and its scale rounds, and stays there: such models
// keep a norm without scale and a product.

#include "passes/graph/raise/Match.h"
#include "passes/graph/raise/Patterns.h"
#include "passes/graph/raise/Rows.h"

#include <cmath>

using namespace mlir;

namespace minic::graph {

namespace {

/// 1 / sqrt(mean + epsilon), with the mean of some rows.
struct InverseRoot {
  RowMean mean;
  double epsilon = 0;
};

} // namespace

/// value + scalar; the scalar is 0 where nothing is added.
static std::pair<Value, double> withoutAddend(Value value) {
  auto sum = value.getDefiningOp<AddOp>();
  if (!sum) {
    return {value, 0};
  }
  for (bool swapped : {false, true}) {
    auto [rest, addend] = operandsOf(sum, swapped);
    std::optional<double> number = scalarOf(addend);
    if (number && rest.getType() == sum.getType()) {
      return {rest, *number};
    }
  }
  return {value, 0};
}

static std::optional<InverseRoot> meanAndEpsilon(Value value,
                                                 double epsilon = 0) {
  auto [rest, addend] = withoutAddend(value);
  epsilon += addend;
  std::optional<RowMean> mean = rowMeanOf(rest);
  bool isValid = mean && epsilon >= 0 && std::isfinite(epsilon);
  return isValid ? std::optional(InverseRoot{*mean, epsilon}) : std::nullopt;
}

/// The mean and epsilon of sqrt(mean + epsilon).
static std::optional<InverseRoot> rootOf(Value value) {
  if (auto root = value.getDefiningOp<SqrtOp>()) {
    return meanAndEpsilon(root.getInput());
  }
  auto power = value.getDefiningOp<PowOp>();
  return power && scalarOf(power.getRhs()) == 0.5
             ? meanAndEpsilon(power.getLhs())
             : std::nullopt;
}

static std::optional<InverseRoot> inverseRootOf(Value value) {
  if (auto root = value.getDefiningOp<RsqrtOp>()) {
    return meanAndEpsilon(root.getInput(), root.getEpsilon().convertToDouble());
  }
  if (auto quotient = value.getDefiningOp<DivOp>()) {
    return scalarOf(quotient.getLhs()) == 1.0 ? rootOf(quotient.getRhs())
                                              : std::nullopt;
  }
  auto power = value.getDefiningOp<PowOp>();
  return power && scalarOf(power.getRhs()) == -0.5
             ? meanAndEpsilon(power.getLhs())
             : std::nullopt;
}

/// Whether `value` is x * x.
static bool isSquareOf(Value value, Value x) {
  if (auto product = value.getDefiningOp<MulOp>()) {
    return isSame(product.getLhs(), x) && isSame(product.getRhs(), x);
  }
  auto power = value.getDefiningOp<PowOp>();
  return power && scalarOf(power.getRhs()) == 2.0 && isSame(power.getLhs(), x);
}

namespace {

/// x divided by the root, or multiplied by its inverse.
template <typename RootOp> struct RaiseRmsNorm : OpRewritePattern<RootOp> {
  using OpRewritePattern<RootOp>::OpRewritePattern;

  LogicalResult matchAndRewrite(RootOp op,
                                PatternRewriter &rewriter) const override {
    constexpr bool isQuotient = std::is_same_v<RootOp, DivOp>;
    for (bool swapped : {false, true}) {
      if (isQuotient && swapped) {
        break;
      }
      auto [x, divisor] = operandsOf(op, swapped);
      auto root = isQuotient ? rootOf(divisor) : inverseRootOf(divisor);
      if (!root || x.getType() != op.getType() ||
          x.getType() != root->mean.input.getType() ||
          !isSquareOf(root->mean.input, x)) {
        continue;
      }
      rewriter.replaceOpWithNewOp<RmsNormOp>(op, op.getType(), x,
                                             /*scale=*/Value(), root->mean.axis,
                                             APFloat(root->epsilon));
      return success();
    }
    return rewriter.notifyMatchFailure(op, "not x / sqrt(mean(x^2) + epsilon)");
  }
};

/// rms_norm(x - mean(x)) is layer_norm(x).
struct RaiseLayerNorm : OpRewritePattern<RmsNormOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(RmsNormOp op,
                                PatternRewriter &rewriter) const override {
    auto centred = op.getInput().getDefiningOp<SubOp>();
    if (!centred) {
      return rewriter.notifyMatchFailure(op, "not of a difference");
    }
    Value x = centred.getLhs();
    std::optional<RowMean> mean = rowMeanOf(centred.getRhs());
    if (!mean || !isSame(mean->input, x) || mean->axis != op.getAxis() ||
        x.getType() != op.getType()) {
      return rewriter.notifyMatchFailure(op, "not of x - mean(x)");
    }
    rewriter.replaceOpWithNewOp<LayerNormOp>(op, op.getType(), x, op.getScale(),
                                             /*bias=*/Value(), op.getAxis(),
                                             op.getEpsilon());
    return success();
  }
};

} // namespace

/// x in mean((x - mean(x))^2), or in that of mean(x) - x; null for any other
/// mean.
static Value centredInput(const RowMean &variance) {
  Operation *square = variance.input.getDefiningOp();
  if (!isa_and_present<MulOp, PowOp>(square)) {
    return {};
  }
  auto difference = square->getOperand(0).getDefiningOp<SubOp>();
  if (!difference || !isSquareOf(variance.input, difference)) {
    return {};
  }
  for (bool swapped : {false, true}) {
    auto [x, centre] = operandsOf(difference, swapped);
    std::optional<RowMean> mean = rowMeanOf(centre);
    if (mean && isSame(mean->input, x) && mean->axis == variance.axis &&
        x.getType() == difference.getType()) {
      return x;
    }
  }
  return {};
}

namespace {

/// 1 / sqrt(variance + epsilon), and what scales it; null for nothing.
struct ScaledRoot {
  InverseRoot root;
  Value scale;
};

/// Of Keras, through TensorFlow: x * f + (bias - mean(x) * f), where f is the
/// scale over the root of the variance.
struct RaiseFactoredLayerNorm : OpRewritePattern<AddOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(AddOp op,
                                PatternRewriter &rewriter) const override {
    for (bool swapped : {false, true}) {
      auto [product, rest] = operandsOf(op, swapped);
      auto scaled = product.getDefiningOp<MulOp>();
      auto offset = rest.getDefiningOp<SubOp>();
      auto shift = offset ? offset.getRhs().getDefiningOp<MulOp>() : MulOp();
      if (!scaled || !shift) {
        continue;
      }
      for (bool isFirst : {false, true}) {
        auto [x, factor] = operandsOf(scaled, isFirst);
        std::optional<ScaledRoot> found = match(x, factor, shift);
        if (!found || x.getType() != op.getType()) {
          continue;
        }
        // Scale and bias become its own if they are of its rows.
        Value normal = LayerNormOp::create(
            rewriter, op.getLoc(), op.getType(), x, /*scale=*/Value(),
            /*bias=*/Value(), found->root.mean.axis,
            APFloat(found->root.epsilon));
        if (found->scale) {
          normal = MulOp::create(rewriter, op.getLoc(), op.getType(), normal,
                                 found->scale);
        }
        rewriter.replaceOpWithNewOp<AddOp>(op, op.getType(), normal,
                                           offset.getLhs());
        return success();
      }
    }
    return rewriter.notifyMatchFailure(op, "not x * f + (bias - mean(x) * f)");
  }

private:
  static std::optional<ScaledRoot> match(Value x, Value factor, MulOp shift) {
    bool isShift = llvm::any_of(ArrayRef({false, true}), [&](bool swapped) {
      auto [centre, other] = operandsOf(shift, swapped);
      std::optional<RowMean> mean = rowMeanOf(centre);
      return mean && isSame(mean->input, x) && isSame(other, factor);
    });
    std::optional<ScaledRoot> found = isShift ? rootOf(factor) : std::nullopt;
    Value input = found ? centredInput(found->root.mean) : Value();
    return input && isSame(input, x) ? found : std::nullopt;
  }

  static std::optional<ScaledRoot> rootOf(Value factor) {
    if (auto root = inverseRootOf(factor)) {
      return ScaledRoot{*root, {}};
    }
    auto product = factor.getDefiningOp<MulOp>();
    for (bool swapped : {false, true}) {
      if (!product) {
        break;
      }
      auto [value, scale] = operandsOf(product, swapped);
      if (auto root = inverseRootOf(value)) {
        return ScaledRoot{*root, scale};
      }
    }
    return std::nullopt;
  }
};

} // namespace

/// `value` in the dimensions of `type` from `axis` on; null if it is not of
/// those, or computed and has more of its own.
static Value perElement(PatternRewriter &rewriter, Value value,
                        RankedTensorType type, uint64_t axis) {
  ArrayRef<int64_t> wanted = type.getShape().drop_front(axis);
  RankedTensorType own = typeOf(value);
  if (own.getElementType() != type.getElementType() ||
      withoutLeadingOnes(own.getShape(), wanted.size()) != wanted) {
    return nullptr;
  }
  if (own.getShape() == wanted) {
    return value;
  }
  return isKnown(value) ? ReshapeOp::create(rewriter, value.getLoc(),
                                            own.clone(wanted), value)
                        : Value();
}

namespace {

/// norm(x) * scale, where nobody else reads the norm.
template <typename NormOp> struct ScaleNorm : OpRewritePattern<MulOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(MulOp op,
                                PatternRewriter &rewriter) const override {
    for (bool swapped : {false, true}) {
      auto [normal, factor] = operandsOf(op, swapped);
      auto norm = normal.template getDefiningOp<NormOp>();
      if (!norm || !norm->hasOneUse() || norm.getScale() || hasBias(norm) ||
          norm.getType() != op.getType()) {
        continue;
      }
      rewriter.setInsertionPoint(op);
      Value scale = perElement(rewriter, factor, op.getType(), norm.getAxis());
      if (!scale) {
        continue;
      }
      rewriter.modifyOpInPlace(norm, [&] {
        norm.getScaleMutable().assign(scale);
        norm->moveBefore(op);
      });
      rewriter.replaceOp(op, norm);
      return success();
    }
    return rewriter.notifyMatchFailure(op, "no norm and a scale of its rows");
  }

private:
  static bool hasBias(LayerNormOp norm) { return bool(norm.getBias()); }
  static bool hasBias(RmsNormOp) { return false; }
};

/// layer_norm(x) + bias
struct AddBias : OpRewritePattern<AddOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(AddOp op,
                                PatternRewriter &rewriter) const override {
    for (bool swapped : {false, true}) {
      auto [normal, addend] = operandsOf(op, swapped);
      auto norm = normal.getDefiningOp<LayerNormOp>();
      if (!norm || !norm->hasOneUse() || norm.getBias() ||
          norm.getType() != op.getType()) {
        continue;
      }
      Value bias = perElement(rewriter, addend, op.getType(), norm.getAxis());
      if (!bias) {
        continue;
      }
      rewriter.modifyOpInPlace(norm, [&] {
        norm.getBiasMutable().assign(bias);
        norm->moveBefore(op);
      });
      rewriter.replaceOp(op, norm);
      return success();
    }
    return rewriter.notifyMatchFailure(op, "no norm and a bias of its rows");
  }
};

} // namespace

void populateRaiseRowNorms(RewritePatternSet &patterns) {
  patterns.add<RaiseRmsNorm<MulOp>, RaiseRmsNorm<DivOp>, RaiseLayerNorm,
               RaiseFactoredLayerNorm, ScaleNorm<RmsNormOp>,
               ScaleNorm<LayerNormOp>, AddBias>(patterns.getContext());
}

} // namespace minic::graph
