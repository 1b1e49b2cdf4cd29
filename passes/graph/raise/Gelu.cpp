// SPDX-License-Identifier: Apache-2.0
//
// gelu, with erf and with tanh, in whatever order its factors stand.

#include "passes/graph/raise/Match.h"
#include "passes/graph/raise/Patterns.h"
#include "passes/graph/raise/Polynomial.h"

#include <cmath>
#include <numbers>

using namespace mlir;

namespace minic::graph {

/// x / 2 + x * f / 2
static bool isHalfOfBoth(Value root, Value x, Value f) {
  return isPolynomial(root, {x, f}, {{{1, 0}, 0.5}, {{1, 1}, 0.5}});
}

static bool isErfForm(Value root, Value x, ErfOp erf) {
  return isPolynomial(erf.getInput(), {x}, {{{1}, 1 / std::numbers::sqrt2}}) &&
         isHalfOfBoth(root, x, erf);
}

static bool isTanhForm(Value root, Value x, TanhOp tanh) {
  double linear = std::numbers::sqrt2 * std::numbers::inv_sqrtpi;
  return isPolynomial(tanh.getInput(), {x},
                      {{{1}, linear}, {{3}, linear * 0.044715}}) &&
         isHalfOfBoth(root, x, tanh);
}

namespace {

template <typename RootOp> struct RaiseGelu : OpRewritePattern<RootOp> {
  using OpRewritePattern<RootOp>::OpRewritePattern;

  LogicalResult matchAndRewrite(RootOp op,
                                PatternRewriter &rewriter) const override {
    Value root = op.getResult(), input;
    GeluApproximation form = GeluApproximation::None;
    bool isGelu = findVariables<ErfOp>(root, [&](Value x, ErfOp erf) {
      input = x;
      return isErfForm(root, x, erf);
    });
    if (!isGelu) {
      form = GeluApproximation::Tanh;
      isGelu = findVariables<TanhOp>(root, [&](Value x, TanhOp tanh) {
        input = x;
        return isTanhForm(root, x, tanh);
      });
    }
    if (!isGelu) {
      return rewriter.notifyMatchFailure(op, "not x * (1 + erf or tanh) / 2");
    }
    rewriter.replaceOpWithNewOp<GeluOp>(op, op.getType(), input, form);
    return success();
  }
};

} // namespace

void populateRaiseGelu(RewritePatternSet &patterns) {
  patterns.add<RaiseGelu<MulOp>, RaiseGelu<DivOp>, RaiseGelu<AddOp>>(
      patterns.getContext());
}

} // namespace minic::graph
