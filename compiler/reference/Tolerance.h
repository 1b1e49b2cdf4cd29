// SPDX-License-Identifier: Apache-2.0
//
// Tolerance: how far a correct kernel may be from the float64 value. The error
// model and all of its constants are here and nowhere else.
//
// Model. A kernel computes in float32 and may round any value to its declared
// dtype. Two amounts go with every value: `error`, a bound on the difference,
// and `spread`, what the difference counts for where many independent ones are
// summed: 6 standard deviations. A rounding is within +-error, so its standard
// deviation is at most error / sqrt(3) and spread is 6 / sqrt(3) * error; a sum
// of many is nearly normal and its error *is* its spread.
//
// Pointwise ops carry `error` by the exact range of the function over
// [value - error, value + error] (endpoints and critical points, which stays
// right where the function is strongly curved or has a kink) and scale spread
// by the same factor.
//
// Reductions. For s = sum of n products in any order, |error| <= gamma_n * T
// with T = sum |a_i||b_i|, gamma_n = n u / (1 - n u) (Higham, Accuracy and
// Stability of Numerical Algorithms, 2nd ed., section 3.1). For n = 1024 that
// is met by kernels that round their operands to ten bits, so it is replaced by
//     u * f(n) * T,  f(n) = min(n / (1 - n u), 2 + 4 sqrt(n) + n |s| / T),
// which holds under either of two conditions that kernels and data break
// together only by construction:
// - Rounding errors are mean independent (Higham and Mary, A New Approach to
//   Probabilistic Rounding Error Analysis, SISC 41(5), 2019). Each addition
//   errs by at most u |partial sum| <= u (T + |s|) / 2, so by Azuma-Hoeffding
//   4 sqrt(n) u T is exceeded with a probability below 1e-30 where |s| << T;
//   where |s| is not small against T the third term is the worst case.
// - Rounding errors are systematic (constant data), and partial sums stay
//   within |s| + 4 T / sqrt(n), as in random order. The error is at most
//   u * sum |partial sums| (running error bound, Higham section 3.3).
// The 2 covers products rounded before they are added. The bias is one more
// summand. f(1024) is about 170 on zero-mean data: one dropped product or TF32
// operands exceed it, an IEEE float32 dot product uses about a hundredth.
//
// Errors e_i of the operand a reach a sum as sum e_i b_i. The bound is the
// smaller of sum |e_i b_i| and |sum e_i b_i| + sqrt(sum spread_i^2 b_i^2): a
// common relative error, plus six standard deviations of independent ones. The
// former alone would grow by sqrt(K) per layer and soon accept anything.

#ifndef MINIC_COMPILER_REFERENCE_TOLERANCE_H
#define MINIC_COMPILER_REFERENCE_TOLERANCE_H

#include <algorithm>
#include <cmath>
#include <limits>

namespace minic::reference {

inline constexpr double kAnything = std::numeric_limits<double>::infinity();

/// Unit roundoff of float32, in which kernels compute.
inline constexpr double kRoundoff = 0x1p-24;

/// Half a unit of the last of tf32's ten bits, relative: what an f32 operand is
/// off by at most where it is rounded to nearest. Hardware that drops the other
/// bits errs by twice as much, which over a sum is a common relative error of
/// this size and independent ones within as much on both sides.
inline constexpr double kTf32Roundoff = 0x1p-11;

/// Results below the normal range may be flushed to zero.
inline constexpr double kSmallestNormal = 0x1p-126;

/// Float32 results of larger magnitude are infinite.
inline constexpr double kLargest = 0x1.ffffffp127;

/// Where an overflow is all that is not certain of an operand, its magnitude is
/// at least this, half of the largest f16.
inline constexpr double kHuge = 0x1p15;

/// e to less than minus this is less than the smallest float32.
inline constexpr double kNegligible = 110;

/// exp and pow may saturate here, a little before the largest float32.
inline constexpr double kSaturation = 1.6e38; // e^88

/// spread of a single rounding over its error; see above.
inline constexpr double kRoundingSpread = 3.4641016151377544; // 6 / sqrt(3)

/// Bound on the float32 error of a sum of `n` products.
inline double reductionError(double n, double sum, double absoluteSum) {
  if (absoluteSum == 0) {
    return 0;
  }
  double worst = n / (1 - std::min(n * kRoundoff, 0.5));
  double likely = 2 + 4 * std::sqrt(n) + n * std::abs(sum) / absoluteSum;
  return kRoundoff * std::min(worst, likely) * absoluteSum +
         n * kSmallestNormal;
}

/// The same, relative to the sum of magnitudes, for statistics of a row: each
/// partial sum is smaller than the whole, which leaves 4 sqrt(n / 3) of the
/// probabilistic bound. No term grows with n: a row is summed by lanes or in
/// blocks, or its bias would reach the mean, and the variance of a constant
/// row.
inline double statisticError(double n) {
  return kRoundoff * (2 + std::min(n, 4 * std::sqrt(n / 3)));
}

/// How far a float32 function may be off, beyond its operand's error:
/// relative * |result| + perInput * |x| + absolute.
struct Allowance {
  double relative = 0, perInput = 0, absolute = 0;
  /// The nearest float32. So only a result that is beyond the largest one by
  /// half an ulp becomes infinite.
  bool isNearest = false;
};

/// One ulp is at most two roundoffs.
inline constexpr double kUlp = 2 * kRoundoff;

namespace allowance {
// Correctly rounded in hardware; FMA contraction only lessens the error.
inline constexpr Allowance kArithmetic{kRoundoff, 0, 0, true};
inline constexpr Allowance kDivide{2 * kRoundoff};
inline constexpr Allowance kSqrt{kRoundoff, 0, 0, true};
inline constexpr Allowance kRsqrt{4 * kUlp};
// Vectorized polynomial approximations measure up to 1.0 (exp), 4.2 (tanh) and
// 3.7 ulp (erf); oneDNN 2.6 up to 3.1 (exp) and 3.2 ulp (sigmoid), with AVX-512
// over the ranges where results are normal.
inline constexpr Allowance kExp{8 * kUlp};
inline constexpr Allowance kTanh{8 * kUlp};
inline constexpr Allowance kErf{8 * kUlp};
inline constexpr Allowance kSigmoid{8 * kUlp};
// Near 1 the argument reduction leaves an absolute error. oneDNN 2.6 errs by up
// to 3.7e-6 there, which is not a float32 logarithm and is rejected.
inline constexpr Allowance kLog{8 * kUlp, 0, 2 * kRoundoff};
// x * sigmoid(x): below -88, where exp(-x) overflows, the result may be zero.
inline constexpr Allowance kSilu{9 * kUlp, 4 * kSmallestNormal};
// 1 + erf and 1 + tanh cancel for negative x, so errors scale with x; libraries
// use an erf with an absolute error of 1.5e-7 (Abramowitz and Stegun 7.1.26).
inline constexpr Allowance kGelu{4 * kUlp, 8 * kUlp};
// x + 3 cancels near -3.
inline constexpr Allowance kHardSwish{2 * kUlp, 2 * kUlp};
// The slope is rounded to float32.
inline constexpr Allowance kLeakyRelu{2 * kRoundoff};
// CUDA's sinf and cosf are off by up to 2 ulp, over the whole range.
inline constexpr Allowance kSine{8 * kUlp};
// max(x, 0) + log1p(exp(-|x|)): below -88, where exp is a denormal, the result
// may be zero.
inline constexpr Allowance kSoftplus{9 * kUlp, 0, 4 * kSmallestNormal};
// x n / (n + 2), n = e (e + 2): twice the error of exp where e is small.
inline constexpr Allowance kMish{18 * kUlp, 4 * kSmallestNormal};
// expm1, and the slope rounded to float32.
inline constexpr Allowance kElu{9 * kUlp};
// The product with the whole part is rounded, or only the difference.
inline constexpr Allowance kMod{kRoundoff, 2 * kRoundoff};
} // namespace allowance

/// Relative error of a float32 pow computed as exp(y * log(x)).
inline double powRelativeError(double x, double y) {
  double logX = std::abs(std::log(std::abs(x)));
  return allowance::kExp.relative +
         std::abs(y) * (logX * (allowance::kLog.relative + kUlp) +
                        allowance::kLog.absolute);
}

} // namespace minic::reference

#endif // MINIC_COMPILER_REFERENCE_TOLERANCE_H
