// SPDX-License-Identifier: Apache-2.0
//
// Range reductions and polynomials; coefficients of exp and log are those of
// Cephes' expf and logf (S. Moshier), those of erf and tanh were fitted for
// them (Lawson's algorithm on Chebyshev nodes), pow goes through a logarithm in
// float64.

#include "compiler/target/codegen/MathLowering.h"

#include "compiler/target/codegen/Trigonometry.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"

#include <cmath>
#include <limits>

using namespace mlir;

namespace minic {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
/// 1.5 * 2^23: added to a small float it rounds it to an integer and leaves
/// that integer in the low bits.
constexpr double kRoundingMagic = 12582912.0;

struct Functions : Trigonometry {
  /// exp(r) - 1 for |r| <= ln(2) / 2, f32.
  Value expm1Reduced(Value r) const {
    Value p =
        polynomial(r, {1.9875691500e-4, 1.3981999507e-3, 8.3334519073e-3,
                       4.1665795894e-2, 1.6666665459e-1, 5.0000001201e-1});
    return fma(p, mul(r, r), r);
  }
  Value expReduced(Value r) const { return add(expm1Reduced(r), like(r, 1)); }

  /// p * 2^n where `magic` is n + kRoundingMagic, -300 < n < 300. Two factors,
  /// so that denormal results and those near overflow are reached.
  Value scale(Value p, Value magic) const {
    Value bits = op<arith::BitcastOp>(i32(), magic);
    int64_t zero = 0x4b400000; // kRoundingMagic's bits
    Value n = op<arith::SubIOp>(bits, integer(i32(), zero));
    Value half = op<arith::ShRSIOp>(n, integer(i32(), 1));
    Value rest = op<arith::SubIOp>(n, half);
    return mul(mul(p, powerOfTwo(half)), powerOfTwo(rest));
  }
  Value powerOfTwo(Value n) const {
    Value biased = op<arith::AddIOp>(n, integer(i32(), 127));
    Value bits = op<arith::ShLIOp>(biased, integer(i32(), 23));
    return op<arith::BitcastOp>(f32(), bits);
  }

  Value exp(Value x) const {
    // Beyond these the result is 0 or infinity anyway.
    Value inside = clamp(x, -104, 89);
    Value magic = fma(inside, 1.44269504088896341, like(x, kRoundingMagic));
    Value n = sub(magic, like(x, kRoundingMagic));
    Value r = fma(n, -0.693359375, inside);
    r = fma(n, 2.12194440e-4, r);
    return scale(expReduced(r), magic);
  }

  Value exp2(Value x) const {
    return op<math::Exp2Op>(x, arith::FastMathFlags::afn);
  }

  /// By one instruction of a GPU, and 0 where that is no normal number: such
  /// numbers take three instructions more.
  Value exp2Flushed(Value x) const {
    auto of = [&](Value element) -> Value {
      return LLVM::CallIntrinsicOp::create(
                 b, loc, b.getF32Type(),
                 b.getStringAttr("llvm.nvvm.ex2.approx.ftz"),
                 ValueRange(element))
          .getResult(0);
    };
    auto vector = dyn_cast<VectorType>(x.getType());
    if (!vector) {
      return of(x);
    }
    SmallVector<Value> powers;
    for (int64_t i = 0; i != vector.getNumElements(); ++i) {
      powers.push_back(of(op<vector::ExtractOp>(x, i)));
    }
    return op<vector::FromElementsOp>(vector, powers);
  }

  /// 2^t 2^rest, where t is x log2(e) rounded and rest what that left out.
  Value expByExp2(Value x) const {
    Value inside = op<arith::MaximumFOp>(x, like(x, -104));
    inside = op<arith::MinimumFOp>(inside, like(x, 89));
    constexpr double kLog2E = 1.44269504088896341;
    Value t = mul(inside, like(x, kLog2E));
    Value rest = fma(inside, kLog2E, op<arith::NegFOp>(t));
    rest = fma(inside, kLog2E - double(float(kLog2E)), rest);
    return mul(exp2(t), fma(rest, 0.693147180559945309, like(x, 1)));
  }

  /// x + x^3 p(x^2) where that is accurate, else 1 - 2 / (1 + e^(2 |x|)).
  Value tanhByExp2(Value x) const {
    Value magnitude = op<math::AbsFOp>(x), square = mul(x, x);
    Value p = polynomial(square, {-5.51517014e-3, 2.0469426e-2, -5.36880251e-2,
                                  1.33308304e-1, -3.33332598e-1});
    Value power = exp2(mul(magnitude, like(x, 2.88539008177792681)));
    Value rest = op<arith::DivFOp>(like(x, 2), add(power, like(x, 1)),
                                   arith::FastMathFlags::afn);
    Value large = op<math::CopySignOp>(sub(like(x, 1), rest), x);
    // NaN is on the side of small ones, which keep it.
    return select(compare(F::OGE, magnitude, 0.65), large,
                  fma(mul(p, square), x, x));
  }

  /// 2^x for x <= 0, but 2^-30 where that is less.
  Value exp2Beside1(Value x) const {
    Value inside = select(compare(F::OLT, x, -30), -30, x);
    Value magic = add(inside, like(x, kRoundingMagic));
    Value n = sub(magic, like(x, kRoundingMagic));
    Value r = mul(sub(inside, n), like(x, 0.693147180559945309));
    Value exponent = op<arith::ShLIOp>(
        Value(op<arith::BitcastOp>(i32(), magic)), integer(i32(), 23));
    Value bits = op<arith::BitcastOp>(i32(), expReduced(r));
    return op<arith::BitcastOp>(f32(),
                                Value(op<arith::AddIOp>(bits, exponent)));
  }

  /// x + x p(x^2) below 1 and 1 - 2^q(|x|) from there on. p and q minimize the
  /// largest relative error of erf, q on [1, 4]; beyond it falls to -infinity.
  Value erf(Value x, bool hasExp2Instruction) const {
    Value magnitude = op<math::AbsFOp>(x);
    Value p =
        polynomial(mul(x, x), {-5.63142583e-4, 4.91755209e-3, -2.67113117e-2,
                               1.12801801e-1, -3.76123262e-1, 1.28379122e-1});
    Value q =
        polynomial(magnitude, {-1.66951685e-3, 2.13978297e-2, -1.28110922e-1,
                               -9.43868879e-1, -1.61238667, -3.77866531e-3});
    Value power = hasExp2Instruction ? exp2(q) : exp2Beside1(q);
    Value large = op<math::CopySignOp>(sub(like(x, 1), power), x);
    // NaN is on the side of small ones, which keep it.
    return select(compare(F::OGE, magnitude, 1), large, fma(p, x, x));
  }

  /// Of q, where erfc(scale * x) is 2^q(|x|) for scale * x > 0. q minimizes the
  /// largest absolute error of erfc, 5.8e-7 where an approximation will do and
  /// else 1.5e-8; beyond 4.5 it falls to -infinity.
  static SmallVector<double> erfcExponent(double scale, bool isApproximate) {
    SmallVector<double> q = {-4.43527856e-5, 4.36943871e-4, -1.4603808e-3,
                             -8.25166127e-4, 2.83018871e-2, -1.48506647e-1,
                             -9.18409815e-1, -1.62790933,   2.17176208e-8};
    if (isApproximate) {
      q = {-2.93510717e-3, 2.95488021e-2, -1.48599951e-1,
           -9.18553369e-1, -1.62787739,   -8.36299907e-7};
    }
    double factor = 1;
    for (double &c : llvm::reverse(q)) {
      c *= factor;
      factor *= std::abs(scale);
    }
    return q;
  }
  /// erfc(scale * x): 2^q(|x|), on the other side 2 minus that.
  Value erfcByExp2(Value x, double scale, bool isApproximate) const {
    Value exponent =
        polynomial(op<math::AbsFOp>(x), erfcExponent(scale, isApproximate));
    Value power = isApproximate ? exp2Flushed(exponent) : exp2(exponent);
    auto side = scale < 0 ? F::OLE : F::OGE;
    return select(compare(side, x, 0), power, sub(like(x, 2), power));
  }
  /// x erfc(scale * x) / 2 for scale < 0, with erfc's approximation:
  /// max(x, 0) - |x| 2^(q(|x|) - 1). The power is 0 from 16 on, where it leaves
  /// large x as they are; of -infinity the product is NaN, as C's is.
  Value geluByExp2(Value x, double scale) const {
    SmallVector<double> q = erfcExponent(scale, /*isApproximate=*/true);
    q.back() -= 1;
    Value power = exp2Flushed(polynomial(op<math::AbsFOp>(x), q));
    Value bounded = op<arith::MinNumFOp>(x, like(x, 16));
    Value magnitude = op<math::AbsFOp>(bounded);
    Value above = op<arith::MaxNumFOp>(x, like(x, 0));
    return fma(op<arith::NegFOp>(magnitude), power, above);
  }
  /// Where 2^q is no instruction, what erf is made of costs no more.
  Value erfcByErf(Value x) const {
    return sub(like(x, 1), erf(x, /*hasExp2Instruction=*/false));
  }

  Value log(Value x) const {
    Value isTiny = compare(F::OLT, x, 0x1p-126);
    Value normal = select(isTiny, mul(x, like(x, 0x1p23)), x);
    // x = m * 2^e with m in [sqrt(1/2), sqrt(2)).
    Value root = integer(i32(), 0x3f3504f3); // sqrt(1/2)
    Value bits = op<arith::SubIOp>(op<arith::BitcastOp>(i32(), normal), root);
    Value e = op<arith::SIToFPOp>(f32(),
                                  op<arith::ShRSIOp>(bits, integer(i32(), 23)));
    e = add(e, select(isTiny, -23, like(x, 0)));
    Value mantissa = op<arith::AddIOp>(
        op<arith::AndIOp>(bits, integer(i32(), 0x7fffff)), root);
    Value f = sub(op<arith::BitcastOp>(f32(), mantissa), like(x, 1));
    Value p =
        polynomial(f, {7.0376836292e-2, -1.1514610310e-1, 1.1676998740e-1,
                       -1.2420140846e-1, 1.4249322787e-1, -1.6668057665e-1,
                       2.0000714765e-1, -2.4999993993e-1, 3.3333331174e-1});
    Value z = mul(f, f);
    Value y = mul(mul(p, f), z);
    y = fma(e, -2.12194440e-4, y);
    y = fma(z, -0.5, y);
    Value result = fma(e, 0.693359375, add(f, y));
    // Infinity and NaN as they are.
    result = select(compare(F::UEQ, x, kInfinity), x, result);
    result = select(compare(F::OEQ, x, 0), -kInfinity, result);
    return select(compare(F::OLT, x, 0), kNaN, result);
  }

  /// log(1 + x): what 1 + x loses of x is added to its logarithm.
  Value log1p(Value x) const {
    Value one = like(x, 1), sum = add(one, x);
    Value lost = sub(x, sub(sum, one));
    Value result = add(log(sum), op<arith::DivFOp>(lost, sum));
    // At the ends of the range the correction is 0 / 0.
    Value isPlain = op<arith::AndIOp>(compare(F::OGT, x, -1),
                                      compare(F::OLT, x, kInfinity));
    return select(isPlain, result, log(sum));
  }

  /// e^x - 1 as 2^n (e^r - 1) + (2^n - 1), halved so that 2^128 is finite.
  Value expm1(Value x) const {
    Value inside = clamp(x, -30, 89);
    Value magic = fma(inside, 1.44269504088896341, like(x, kRoundingMagic));
    Value n = sub(magic, like(x, kRoundingMagic));
    Value r = fma(n, -0.693359375, inside);
    r = fma(n, 2.12194440e-4, r);
    Value bits = op<arith::BitcastOp>(i32(), magic);
    int64_t one = 0x4b400001; // the bits of kRoundingMagic + 1
    Value half = powerOfTwo(op<arith::SubIOp>(bits, integer(i32(), one)));
    Value sum = fma(half, expm1Reduced(r), sub(half, like(x, 0.5)));
    return add(sum, sum);
  }

  /// log2 of a positive f64 that was a finite float32.
  Value log2(Value x) const {
    Value root = integer(i64(), 0x3fe6a09e667f3bcd); // sqrt(1/2)
    Value bits = op<arith::SubIOp>(op<arith::BitcastOp>(i64(), x), root);
    Value exponent = op<arith::ShRSIOp>(bits, integer(i64(), 52));
    // Through i32: AVX2 converts no i64.
    Value e = op<arith::SIToFPOp>(f64(), op<arith::TruncIOp>(i32(), exponent));
    Value mantissa = op<arith::AddIOp>(
        op<arith::AndIOp>(bits, integer(i64(), 0xfffffffffffff)), root);
    Value m = op<arith::BitcastOp>(f64(), mantissa);
    // log(m) = 2 atanh(s), s = (m - 1) / (m + 1), |s| < 0.172: the first
    // omitted term is below 2^-44 of the sum.
    Value s = op<arith::DivFOp>(sub(m, like(m, 1)), add(m, like(m, 1)));
    Value p = polynomial(mul(s, s), {1.0 / 15, 1.0 / 13, 1.0 / 11, 1.0 / 9,
                                     1.0 / 7, 1.0 / 5, 1.0 / 3, 1});
    constexpr double kTwoLog2E = 2.88539008177792681;
    return fma(mul(s, p), kTwoLog2E, e);
  }

  Value pow(Value x, Value y) const {
    Value base = op<math::AbsFOp>(x);
    Value l = log2(op<arith::ExtFOp>(f64(), base));
    l = select(compare(F::OEQ, base, 0), -kInfinity, l);
    l = select(compare(F::OEQ, base, kInfinity), kInfinity, l);
    Value t = mul(op<arith::ExtFOp>(f64(), y), l);
    // 2^t as 2^n * exp(ln(2) r). Beyond these it is 0 or infinity anyway.
    t = clamp(t, -160, 160);
    Value n = op<math::RoundEvenOp>(t);
    Value r = mul(sub(t, n), like(t, 0.693147180559945309));
    Value magic = add(op<arith::TruncFOp>(f32(), n), like(x, kRoundingMagic));
    Value power = scale(expReduced(op<arith::TruncFOp>(f32(), r)), magic);

    // The sign is that of the base where y is an odd integer.
    auto isInteger = [&](Value v) {
      return op<arith::CmpFOp>(F::OEQ, v, Value(op<math::RoundEvenOp>(v)));
    };
    Value isWhole = isInteger(y);
    Value isEven = isInteger(mul(y, like(y, 0.5)));
    Value isNegative = op<arith::CmpIOp>(arith::CmpIPredicate::slt,
                                         Value(op<arith::BitcastOp>(i32(), x)),
                                         integer(i32(), 0));
    Value isOdd = op<arith::AndIOp>(isWhole, negate(isEven));
    Value flips = op<arith::AndIOp>(isOdd, isNegative);
    power = select(flips, op<arith::NegFOp>(power), power);

    // A finite negative base has real powers for integers only.
    Value isBelowZero = op<arith::AndIOp>(compare(F::OLT, x, 0),
                                          compare(F::OGT, x, -kInfinity));
    power =
        select(op<arith::AndIOp>(isBelowZero, negate(isWhole)), kNaN, power);
    power = select(compare(F::UNO, x, 0), x, power);
    // 1 where C says so: y = 0, x = 1, and |x| = 1 to an infinite power.
    Value isOne =
        op<arith::OrIOp>(compare(F::OEQ, y, 0), compare(F::OEQ, x, 1));
    Value isUnitToInfinity =
        op<arith::AndIOp>(compare(F::OEQ, base, 1),
                          compare(F::OEQ, op<math::AbsFOp>(y), kInfinity));
    return select(op<arith::OrIOp>(isOne, isUnitToInfinity), 1, power);
  }
};

template <typename Op, typename Emit> struct Lowering : OpRewritePattern<Op> {
  Lowering(MLIRContext *context, Emit emit)
      : OpRewritePattern<Op>(context), emit(emit) {}

  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    if (!getElementTypeOrSelf(op.getType()).isF32()) {
      return rewriter.notifyMatchFailure(op, "not of f32");
    }
    Functions a{{{rewriter, op.getLoc(), op.getType()}}};
    rewriter.replaceOp(op, emit(a, op));
    return success();
  }

  Emit emit;
};

template <typename Op, typename Emit>
void add(RewritePatternSet &patterns, Emit emit) {
  patterns.add(
      std::make_unique<Lowering<Op, Emit>>(patterns.getContext(), emit));
}

/// Whether the op says that an approximation will do.
template <typename Op> bool isApproximate(Op op) {
  return bitEnumContainsAll(op.getFastmath(), arith::FastMathFlags::afn);
}

/// `value` is the first times the second, a finite constant. What is multiplied
/// by one costs nothing where coefficients can take it.
std::pair<Value, double> factorOf(Value value) {
  APFloat factor(0.0f);
  auto product = value.getDefiningOp<arith::MulFOp>();
  if (product && matchPattern(product.getRhs(), m_ConstantFloat(&factor)) &&
      factor.isFiniteNonZero()) {
    return {product.getLhs(), factor.convertToDouble()};
  }
  return {value, 1};
}

/// The exact gelu where an approximation will do. Its product and erfc are
/// lowered as one.
struct GeluLowering : OpRewritePattern<math::ErfcOp> {
  explicit GeluLowering(MLIRContext *context)
      : OpRewritePattern(context, /*benefit=*/2) {}

  LogicalResult matchAndRewrite(math::ErfcOp op,
                                PatternRewriter &rewriter) const override {
    auto [x, scale] = factorOf(op.getOperand());
    if (!getElementTypeOrSelf(op.getType()).isF32() || !isApproximate(op) ||
        scale >= 0 || !op->hasOneUse()) {
      return rewriter.notifyMatchFailure(op, "not in a gelu");
    }
    auto product = dyn_cast<arith::MulFOp>(*op->user_begin());
    if (!product || product.getRhs() != op.getResult() ||
        factorOf(product.getLhs()) != std::pair(x, 0.5)) {
      return rewriter.notifyMatchFailure(op, "its user is no gelu's product");
    }
    Functions a{{{rewriter, product.getLoc(), op.getType()}}};
    rewriter.setInsertionPoint(product);
    rewriter.replaceOp(product, a.geluByExp2(x, scale));
    rewriter.eraseOp(op);
    return success();
  }
};

/// A quotient by a constant: bit by bit that of a division, unless it is tiny
/// (Markstein, "Computation of elementary functions on the IBM RISC System/6000
/// processor", 1990). A GPU's division is a function with a branch.
struct ConstantDivisorLowering : OpRewritePattern<arith::DivFOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::DivFOp op,
                                PatternRewriter &rewriter) const override {
    APFloat divisor(0.0f);
    if (!getElementTypeOrSelf(op.getType()).isF32() ||
        !matchPattern(op.getRhs(), m_ConstantFloat(&divisor)) ||
        // Then no product overflows where the quotient does not.
        divisor < APFloat(1.0f) || divisor > APFloat(0x1p100f) ||
        divisor.isNaN() || divisor.getExactLog2Abs() != INT_MIN) {
      return rewriter.notifyMatchFailure(op, "not by such a constant");
    }
    Functions a{{{rewriter, op.getLoc(), op.getType()}}};
    Value x = op.getLhs();
    double reciprocal = 1 / divisor.convertToDouble();
    Value first = a.mul(x, a.like(x, reciprocal));
    Value rest = a.fma(first, -divisor.convertToDouble(), x);
    Value nearest = a.fma(rest, reciprocal, first);
    // The rest of an infinite quotient is NaN.
    Value isNumber = a.op<arith::CmpFOp>(arith::CmpFPredicate::ORD, rest, rest);
    rewriter.replaceOp(op, a.select(isNumber, nearest, first));
    return success();
  }
};

/// 1 / sqrt(x) as the instruction, whose relative error is below 2^-22.9 (PTX
/// ISA, rsqrt.approx).
struct RsqrtLowering : OpRewritePattern<arith::DivFOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::DivFOp op,
                                PatternRewriter &rewriter) const override {
    auto root = op.getRhs().getDefiningOp<math::SqrtOp>();
    if (!root || !getElementTypeOrSelf(op.getType()).isF32() ||
        !matchPattern(op.getLhs(), m_OneFloat())) {
      return rewriter.notifyMatchFailure(op, "not of a square root");
    }
    auto flags = arith::FastMathFlags::afn | arith::FastMathFlags::arcp;
    if (op.getFastmath() == flags) {
      return rewriter.notifyMatchFailure(op, "is one already");
    }
    Value fast =
        math::SqrtOp::create(rewriter, root.getLoc(), root.getOperand(), flags);
    rewriter.replaceOpWithNewOp<arith::DivFOp>(op, op.getLhs(), fast, flags);
    return success();
  }
};

} // namespace

void populateMathLoweringPatterns(RewritePatternSet &patterns,
                                  bool hasExp2Instruction) {
  add<math::ErfOp>(patterns, [=](const Functions &a, math::ErfOp op) {
    return a.erf(op.getOperand(), hasExp2Instruction);
  });
  add<math::ErfcOp>(patterns, [=](const Functions &a, math::ErfcOp op) {
    if (!hasExp2Instruction) {
      return a.erfcByErf(op.getOperand());
    }
    auto [x, scale] = factorOf(op.getOperand());
    return a.erfcByExp2(x, scale, isApproximate(op));
  });
  if (hasExp2Instruction) {
    patterns.add<GeluLowering, ConstantDivisorLowering, RsqrtLowering>(
        patterns.getContext());
  }
  add<math::ExpOp>(patterns, [=](const Functions &a, math::ExpOp op) {
    Value x = op.getOperand();
    if (!hasExp2Instruction) {
      return a.exp(x);
    }
    constexpr double kLog2E = 1.44269504088896341;
    return isApproximate(op) ? a.exp2Flushed(a.mul(x, a.like(x, kLog2E)))
                             : a.expByExp2(x);
  });
  if (hasExp2Instruction) {
    add<math::TanhOp>(patterns, [](const Functions &a, math::TanhOp op) {
      return a.tanhByExp2(op.getOperand());
    });
  }
  add<math::LogOp>(patterns, [](const Functions &a, math::LogOp op) {
    return a.log(op.getOperand());
  });
  add<math::Log1pOp>(patterns, [](const Functions &a, math::Log1pOp op) {
    return a.log1p(op.getOperand());
  });
  add<math::ExpM1Op>(patterns, [](const Functions &a, math::ExpM1Op op) {
    return a.expm1(op.getOperand());
  });
  add<math::SinOp>(patterns, [](const Functions &a, math::SinOp op) {
    return a.sine(op.getOperand(), /*quartersAhead=*/0);
  });
  add<math::CosOp>(patterns, [](const Functions &a, math::CosOp op) {
    return a.sine(op.getOperand(), /*quartersAhead=*/1);
  });
  add<math::PowFOp>(patterns, [](const Functions &a, math::PowFOp op) {
    return a.pow(op.getLhs(), op.getRhs());
  });
}

} // namespace minic
