// SPDX-License-Identifier: Apache-2.0
//
// sigmoid and what is made of it: silu, and softplus and mish of the same
// exponential. x * sigmoid(1.702 * x), "quick gelu", has no name in graph and
// stays a product with a sigmoid.

#include "passes/graph/raise/Match.h"
#include "passes/graph/raise/Patterns.h"
#include "passes/graph/raise/Polynomial.h"

#include <cmath>

using namespace mlir;

namespace minic::graph {

/// The exponential e of a value that is 1 + e.
static ExpOp exponentialPlusOne(Value value) {
  ExpOp found;
  auto values = possibleVariables(value);
  for (Value each : values) {
    auto exponential = each.getDefiningOp<ExpOp>();
    if (exponential && isPolynomial(value, {each}, {{{0}, 1.0}, {{1}, 1.0}})) {
      found = exponential;
    }
  }
  return found;
}

/// -value: what is negated or has a negative factor without it.
static Value negated(PatternRewriter &rewriter, Location loc, Value value) {
  if (auto negation = value.getDefiningOp<NegOp>()) {
    return negation.getInput();
  }
  auto product = value.getDefiningOp<MulOp>();
  std::optional<double> factor =
      product && product.getLhs().getType() == value.getType()
          ? scalarOf(product.getRhs())
          : std::nullopt;
  if (!factor || *factor > 0) {
    return NegOp::create(rewriter, loc, value);
  }
  if (*factor == -1) {
    return product.getLhs();
  }
  RankedTensorType type = typeOf(value);
  auto scalar = RankedTensorType::get({}, type.getElementType());
  auto number = rewriter.getFloatAttr(type.getElementType(), -*factor);
  auto positive = ConstantOp::create(
      rewriter, loc,
      cast<ElementsAttr>(DenseElementsAttr::get(scalar, number)));
  return MulOp::create(rewriter, loc, type, product.getLhs(), positive);
}

namespace {

/// a / (1 + exp(-x)) is a * sigmoid(x).
struct RaiseSigmoid : OpRewritePattern<DivOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(DivOp op,
                                PatternRewriter &rewriter) const override {
    ExpOp exponential = exponentialPlusOne(op.getRhs());
    if (!exponential || exponential.getType() != op.getType()) {
      return rewriter.notifyMatchFailure(op, "not divided by 1 + exp(-x)");
    }
    Value x = negated(rewriter, op.getLoc(), exponential.getInput());
    Value sigmoid = SigmoidOp::create(rewriter, op.getLoc(), op.getType(), x);
    if (scalarOf(op.getLhs()) == 1.0) {
      rewriter.replaceOp(op, sigmoid);
    } else {
      rewriter.replaceOpWithNewOp<MulOp>(op, op.getType(), op.getLhs(),
                                         sigmoid);
    }
    return success();
  }
};

/// x * sigmoid(x)
struct RaiseSilu : OpRewritePattern<MulOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(MulOp op,
                                PatternRewriter &rewriter) const override {
    for (bool swapped : {false, true}) {
      auto [x, gate] = operandsOf(op, swapped);
      auto sigmoid = gate.getDefiningOp<SigmoidOp>();
      if (sigmoid && sigmoid.getInput() == x) {
        rewriter.replaceOpWithNewOp<SiluOp>(op, op.getType(), x);
        return success();
      }
    }
    return rewriter.notifyMatchFailure(op, "not x * sigmoid(x)");
  }
};

/// The gate is the second operand: quick gelu's factors have one order. A
/// constant stays behind it, where canonicalization puts constants.
struct GateSecond : OpRewritePattern<MulOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(MulOp op,
                                PatternRewriter &rewriter) const override {
    if (!op.getLhs().getDefiningOp<SigmoidOp>() ||
        op.getRhs().getDefiningOp<SigmoidOp>() ||
        matchPattern(op.getRhs(), m_Constant())) {
      return rewriter.notifyMatchFailure(op, "the first operand is no gate");
    }
    rewriter.replaceOpWithNewOp<MulOp>(op, op.getType(), op.getRhs(),
                                       op.getLhs());
    return success();
  }
};

/// log(1 + exp(x))
struct RaiseSoftplus : OpRewritePattern<LogOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(LogOp op,
                                PatternRewriter &rewriter) const override {
    ExpOp exponential = exponentialPlusOne(op.getInput());
    if (!exponential) {
      return rewriter.notifyMatchFailure(op, "not of 1 + exp(x)");
    }
    rewriter.replaceOpWithNewOp<SoftplusOp>(op, op.getType(),
                                            exponential.getInput());
    return success();
  }
};

/// x where x > threshold, else softplus(x), as PyTorch computes it: from a
/// threshold on that a float32 is no different.
struct DropThreshold : OpRewritePattern<SelectOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(SelectOp op,
                                PatternRewriter &rewriter) const override {
    auto isAbove = op.getCondition().getDefiningOp<CompareOp>();
    auto softplus = op.getOnFalse().getDefiningOp<SoftplusOp>();
    if (!isAbove || !softplus || softplus.getType() != op.getType() ||
        isAbove.getPredicate() != ComparePredicate::Gt) {
      return rewriter.notifyMatchFailure(op, "no softplus up to a threshold");
    }
    Value x = softplus.getInput();
    std::optional<double> threshold = scalarOf(isAbove.getRhs());
    // softplus(x) - x is at most exp(-x); a float32 has 24 bits.
    if (isAbove.getLhs() != x || op.getOnTrue() != x || !threshold ||
        *threshold <= 0 || std::exp(-*threshold) > *threshold * 0x1p-24) {
      return rewriter.notifyMatchFailure(op, "it is another function");
    }
    rewriter.replaceOp(op, softplus);
    return success();
  }
};

/// x * tanh(softplus(x))
struct RaiseMish : OpRewritePattern<MulOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(MulOp op,
                                PatternRewriter &rewriter) const override {
    for (bool swapped : {false, true}) {
      auto [x, gate] = operandsOf(op, swapped);
      auto tanh = gate.getDefiningOp<TanhOp>();
      auto softplus =
          tanh ? tanh.getInput().getDefiningOp<SoftplusOp>() : SoftplusOp();
      if (softplus && softplus.getInput() == x) {
        rewriter.replaceOpWithNewOp<MishOp>(op, op.getType(), x);
        return success();
      }
    }
    return rewriter.notifyMatchFailure(op, "not x * tanh(softplus(x))");
  }
};

} // namespace

void populateRaiseSigmoid(RewritePatternSet &patterns) {
  patterns.add<RaiseSigmoid, RaiseSilu, GateSecond, RaiseSoftplus,
               DropThreshold, RaiseMish>(patterns.getContext());
}

} // namespace minic::graph
