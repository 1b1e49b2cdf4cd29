// SPDX-License-Identifier: Apache-2.0
//
// Bounds: relu and clamp of max and min with scalars, hard_sigmoid and
// hard_swish of clamp.

#include "passes/graph/raise/Match.h"
#include "passes/graph/raise/Patterns.h"
#include "passes/graph/raise/Polynomial.h"

#include <cmath>

using namespace mlir;

namespace minic::graph {

namespace {

/// lower <= x <= upper.
struct Bounded {
  Value x;
  double lower = -INFINITY, upper = INFINITY;
};

} // namespace

/// One max, min, relu or clamp.
static std::optional<Bounded> boundedOnce(Value value) {
  Operation *op = value.getDefiningOp();
  if (auto relu = dyn_cast_if_present<ReluOp>(op)) {
    return Bounded{relu.getInput(), 0, INFINITY};
  }
  if (auto clamp = dyn_cast_if_present<ClampOp>(op)) {
    return Bounded{clamp.getInput(), clamp.getLower().convertToDouble(),
                   clamp.getUpper().convertToDouble()};
  }
  if (!isa_and_present<MaxOp, MinOp>(op) || !isFloat(value)) {
    return std::nullopt;
  }
  for (bool swapped : {false, true}) {
    auto [x, bound] = operandsOf(op, swapped);
    std::optional<double> number = scalarOf(bound);
    if (number && !std::isnan(*number) && x.getType() == value.getType()) {
      return isa<MaxOp>(op) ? Bounded{x, *number, INFINITY}
                            : Bounded{x, -INFINITY, *number};
    }
  }
  return std::nullopt;
}

namespace {

/// max(x, 0) is relu, and bounds on both sides are clamp. One other bound stays
/// as it is.
template <typename RootOp> struct RaiseClamp : OpRewritePattern<RootOp> {
  using OpRewritePattern<RootOp>::OpRewritePattern;

  LogicalResult matchAndRewrite(RootOp op,
                                PatternRewriter &rewriter) const override {
    std::optional<Bounded> outer = boundedOnce(op.getResult());
    if (!outer) {
      return rewriter.notifyMatchFailure(op, "no scalar bound");
    }
    // clamp has the upper bound last, which matters if it is the lesser one.
    std::optional<Bounded> inner = boundedOnce(outer->x);
    Bounded both = *outer;
    if (inner) {
      both = {inner->x, std::max(inner->lower, outer->lower),
              std::min(inner->upper, outer->upper)};
    }
    if (both.lower > both.upper) {
      return rewriter.notifyMatchFailure(op, "no number is within the bounds");
    }
    if (both.lower == 0 && both.upper == INFINITY) {
      rewriter.replaceOpWithNewOp<ReluOp>(op, op.getType(), both.x);
      return success();
    }
    if (std::isinf(both.lower) || std::isinf(both.upper)) {
      return rewriter.notifyMatchFailure(op, "a bound on one side");
    }
    rewriter.replaceOpWithNewOp<ClampOp>(
        op, op.getType(), both.x, APFloat(both.lower), APFloat(both.upper));
    return success();
  }
};

/// clamp(a * x + b, 0, c) / c is hard_sigmoid.
template <typename RootOp> struct RaiseHardSigmoid : OpRewritePattern<RootOp> {
  using OpRewritePattern<RootOp>::OpRewritePattern;

  LogicalResult matchAndRewrite(RootOp op,
                                PatternRewriter &rewriter) const override {
    Type dtype = op.getType().getElementType();
    for (Value value : possibleVariables(op.getResult())) {
      auto clamp = value.template getDefiningOp<ClampOp>();
      if (!clamp || !clamp.getLower().isZero()) {
        continue;
      }
      double upper = clamp.getUpper().convertToDouble();
      if (!isPolynomial(op.getResult(), {value}, {{{1}, 1 / upper}})) {
        continue;
      }
      // The last ones are what the others are made of.
      auto inputs = possibleVariables(clamp.getInput());
      for (Value x : llvm::reverse(inputs)) {
        auto line = polynomialIn(clamp.getInput(), {x});
        if (!line || line->size() != 2 || !line->count({0}) ||
            !line->count({1})) {
          continue;
        }
        // As exact as they are where the op is written as one.
        auto exact = [&](double number, double usual) {
          return APFloat(isNear(number, usual, dtype) ? usual : number);
        };
        rewriter.replaceOpWithNewOp<HardSigmoidOp>(
            op, op.getType(), x, exact(line->at({1}) / upper, 1.0 / 6.0),
            exact(line->at({0}) / upper, 0.5));
        return success();
      }
    }
    return rewriter.notifyMatchFailure(op, "not clamp(a * x + b, 0, c) / c");
  }
};

/// x * clamp(x + 3, 0, 6) / 6 is hard_swish.
template <typename RootOp> struct RaiseHardSwish : OpRewritePattern<RootOp> {
  using OpRewritePattern<RootOp>::OpRewritePattern;

  LogicalResult matchAndRewrite(RootOp op,
                                PatternRewriter &rewriter) const override {
    Value root = op.getResult(), input;
    Type dtype = op.getType().getElementType();
    bool isHardSwish =
        findVariables<HardSigmoidOp>(
            root,
            [&](Value x, HardSigmoidOp gate) {
              input = x;
              return gate.getInput() == x &&
                     isNear(gate.getAlpha().convertToDouble(), 1.0 / 6.0,
                            dtype) &&
                     isNear(gate.getBeta().convertToDouble(), 0.5, dtype) &&
                     isPolynomial(root, {x, gate}, {{{1, 1}, 1.0}});
            }) ||
        findVariables<ClampOp>(root, [&](Value x, ClampOp gate) {
          input = x;
          return gate.getLower().isZero() &&
                 gate.getUpper().convertToDouble() == 6 &&
                 isPolynomial(gate.getInput(), {x}, {{{0}, 3.0}, {{1}, 1.0}}) &&
                 isPolynomial(root, {x, gate}, {{{1, 1}, 1.0 / 6.0}});
        });
    if (!isHardSwish) {
      return rewriter.notifyMatchFailure(op, "not x * clamp(x + 3, 0, 6) / 6");
    }
    rewriter.replaceOpWithNewOp<HardSwishOp>(op, op.getType(), input);
    return success();
  }
};

} // namespace

void populateRaiseClamp(RewritePatternSet &patterns) {
  patterns.add<RaiseClamp<MaxOp>, RaiseClamp<MinOp>, RaiseHardSigmoid<MulOp>,
               RaiseHardSigmoid<DivOp>, RaiseHardSwish<MulOp>,
               RaiseHardSwish<DivOp>>(patterns.getContext());
}

} // namespace minic::graph
