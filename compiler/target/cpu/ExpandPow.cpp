// SPDX-License-Identifier: Apache-2.0
//
// MLIR's own expansion is NaN for every negative base.

#include "compiler/target/cpu/ExpandPow.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/TypeUtilities.h"

#include <limits>

using namespace mlir;

namespace minic::cpu {

namespace {

struct ExpandPow : OpRewritePattern<math::PowFOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::PowFOp op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Type type = op.getType();
    Value x = op.getLhs(), y = op.getRhs();
    auto constant = [&](double value) -> Value {
      TypedAttr attr = rewriter.getFloatAttr(getElementTypeOrSelf(type), value);
      if (auto shaped = dyn_cast<ShapedType>(type)) {
        attr = DenseElementsAttr::get(shaped, Attribute(attr));
      }
      return arith::ConstantOp::create(rewriter, loc, attr);
    };
    auto compare = [&](arith::CmpFPredicate predicate, Value a,
                       Value b) -> Value {
      return arith::CmpFOp::create(rewriter, loc, predicate, a, b);
    };
    auto select = [&](Value condition, Value a, Value b) -> Value {
      return arith::SelectOp::create(rewriter, loc, condition, a, b);
    };
    auto both = [&](Value a, Value b) -> Value {
      return arith::AndIOp::create(rewriter, loc, a, b);
    };
    using P = arith::CmpFPredicate;
    double infinity = std::numeric_limits<double>::infinity();
    Value zero = constant(0), one = constant(1);

    Value magnitude = math::AbsFOp::create(rewriter, loc, x);
    Value logarithm = math::LogOp::create(rewriter, loc, magnitude);
    Value power = math::ExpOp::create(
        rewriter, loc, arith::MulFOp::create(rewriter, loc, y, logarithm));
    // |x| = 1 with an infinite exponent: 0 * inf above.
    power = select(both(compare(P::OEQ, magnitude, one), compare(P::OEQ, y, y)),
                   one, power);

    Value floor = math::FloorOp::create(rewriter, loc, y);
    Value isInteger = compare(P::OEQ, floor, y);
    Value half = arith::MulFOp::create(rewriter, loc, y, constant(0.5));
    Value isOdd = both(
        isInteger,
        compare(P::ONE, math::FloorOp::create(rewriter, loc, half).getResult(),
                half));
    Value withSign = math::CopySignOp::create(rewriter, loc, power, x);
    Value result = select(isOdd, withSign, power);
    Value isNegative =
        both(compare(P::OLT, x, zero), compare(P::OGT, x, constant(-infinity)));
    Value isFraction = compare(P::ONE, floor, y);
    result = select(both(isNegative, isFraction),
                    constant(std::numeric_limits<double>::quiet_NaN()), result);
    // These hold for NaN in the other operand too.
    result = select(compare(P::OEQ, x, one), one, result);
    result = select(compare(P::OEQ, y, zero), one, result);
    rewriter.replaceOp(op, result);
    return success();
  }
};

} // namespace

void populateExpandPowPattern(RewritePatternSet &patterns) {
  patterns.add<ExpandPow>(patterns.getContext());
}

} // namespace minic::cpu
