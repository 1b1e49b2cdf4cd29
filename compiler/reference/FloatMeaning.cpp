// SPDX-License-Identifier: Apache-2.0
//
// Float ops: each a float64 function and an Allowance for the float32 kernel.

#include "compiler/reference/CarriedError.h"
#include "compiler/reference/PointwiseMeanings.h"
#include "compiler/reference/Storage.h"

#include "llvm/ADT/TypeSwitch.h"

#include <numbers>

using namespace mlir;

namespace minic::reference {

namespace {

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

double silu(double x) { return x * sigmoid(x); }

double geluErf(double x) {
  return 0.5 * x * std::erfc(-x / std::numbers::sqrt2);
}

double geluTanh(double x) {
  double inner = std::sqrt(2 / std::numbers::pi) * (x + 0.044715 * x * x * x);
  // 1 + tanh(z) = 2 sigmoid(2 z), without the cancellation.
  return x * sigmoid(2 * inner);
}

double hardSwish(double x) {
  double gate = x + 3 < 0 ? 0 : x + 3 > 6 ? 6 : x + 3;
  return x * gate / 6;
}

double softplus(double x) {
  return std::max(x, 0.0) + std::log1p(std::exp(-std::abs(x)));
}

double mish(double x) { return x * std::tanh(softplus(x)); }

double sign(double x) { return x > 0 ? 1 : x < 0 ? -1 : x; }

double mod(double x, double y) {
  if (std::isinf(y) && std::isfinite(x)) {
    return x == 0 || (x < 0) == (y < 0) ? x : y;
  }
  return x - y * std::floor(x / y);
}

double maximum(double x, double y) {
  return std::isnan(x) || std::isnan(y) ? std::nan("") : std::max(x, y);
}

double minimum(double x, double y) {
  return std::isnan(x) || std::isnan(y) ? std::nan("") : std::min(x, y);
}

/// Formulas meet -infinity * 0 where the limit is 0.
bool isMinusInfinity(const Bounded *x) { return x->value == -HUGE_VAL; }

bool isSubnormal(const Bounded &x) {
  double magnitude = std::abs(x.value);
  return magnitude != 0 && magnitude - x.error < kSmallestNormal;
}

/// Near the largest float32 exp and pow may already saturate.
Meaning saturating(Meaning meaning) {
  double magnitude = std::abs(meaning.value);
  bool certain = magnitude - meaning.carried > 2 * kLargest;
  if (magnitude + meaning.carried > kSaturation && !certain) {
    return kUnknown;
  }
  return meaning;
}

ScalarMeaning expMeaning() {
  return [f = unary([](double x) { return std::exp(x); })](
             const Bounded *operands) { return saturating(f(operands)); };
}

/// True where a float32 pow is not certain: the base may be negative or zero
/// within its error, or it is 0 ** negative, whose sign is that of the zero.
bool isUncertainPow(const Bounded *operands) {
  const Bounded &x = operands[0], &y = operands[1];
  if (x.error == kAnything || y.error == kAnything) {
    return true;
  }
  // x ** 0 and 1 ** y are 1 even for NaN, which kernels may not honour.
  if (std::isnan(x.value) || std::isnan(y.value)) {
    return contains(y, 0) || contains(x, 1);
  }
  if (x.value == 0 && x.error == 0) {
    return y.value - y.error < 0;
  }
  if (x.value - x.error > 0) {
    return false;
  }
  if (y.error > 0) {
    return true;
  }
  bool isInteger = std::nearbyint(y.value) == y.value;
  return x.error > 0 && contains(x, 0) && !(isInteger && y.value >= 0);
}

Meaning powMeaning(const Bounded *operands) {
  static const ScalarMeaning f =
      binary([](double x, double y) { return std::pow(x, y); });
  Meaning meaning = f(operands);
  auto [x, ex] = operands[0];
  auto [y, ey] = operands[1];
  // Even powers turn at zero.
  if (ex > 0 && contains(operands[0], 0) && std::isfinite(meaning.carried)) {
    meaning.carried = std::max(meaning.carried, std::abs(meaning.value));
  }
  double magnitude = std::abs(meaning.value) + meaning.carried;
  if (x != 0 && std::isfinite(x) && std::isfinite(y) &&
      std::isfinite(magnitude)) {
    meaning.rounding = powRelativeError(x, std::abs(y) + ey) * magnitude;
  }
  return saturating(meaning);
}

/// Sine and cosine carry no more than their operand's error, and at most 2.
ScalarMeaning periodic(Unary f, Type dtype) {
  ScalarMeaning exact = [f](const Bounded *operands) -> Meaning {
    auto [x, error] = operands[0];
    double value = f(x);
    // A finite operand may have become infinite, and the result NaN.
    if (error == kAnything || (error > 0 && std::isnan(value))) {
      return kUnknown;
    }
    return {value, std::min(error, 2.0), 0};
  };
  return computed(exact, allowance::kSine, dtype);
}

/// x - y * floor(x / y). Where the quotient may round across an integer, the
/// rest may be one divisor more or less.
ScalarMeaning modMeaning(Type dtype) {
  ScalarMeaning exact = [](const Bounded *operands) -> Meaning {
    auto [x, ex] = operands[0];
    auto [y, ey] = operands[1];
    if (ex == kAnything || ey == kAnything ||
        (ey > 0 && contains(operands[1], 0)) || std::isnan(y) || y == 0) {
      // An operand of which nothing is known has the value 0.
      bool isZero = ex == 0 && ey == 0 && x == 0 && y == 0;
      return (ex == 0 && std::isnan(x)) || isZero ? Meaning{std::nan(""), 0, 0}
                                                  : kUnknown;
    }
    if (std::isinf(y)) {
      // Of which sign x is decides.
      bool isKnown = ey == 0 && (ex == 0 || std::abs(x) > ex);
      return std::isfinite(x) && isKnown
                 ? Meaning{mod(x, y), std::isinf(mod(x, y)) ? 0 : ex, 0}
                 : kUnknown;
    }
    double quotient = x / y, magnitude = std::abs(x) + ex;
    double off = (magnitude / std::abs(y) * ey + ex) / (std::abs(y) - ey) +
                 allowance::kDivide.relative * std::abs(quotient);
    Meaning meaning{mod(x, y), ex + std::abs(std::floor(quotient)) * ey, 0};
    if (std::abs(quotient - std::nearbyint(quotient)) <= off) {
      meaning.carried += std::abs(y) + ey;
    }
    return meaning;
  };
  return computed(exact, allowance::kMod, dtype);
}

ScalarMeaning hardSigmoidMeaning(graph::HardSigmoidOp op, Type dtype) {
  double alpha = op.getAlpha().convertToDouble();
  double beta = op.getBeta().convertToDouble();
  // Both are rounded to float32, and they cancel where the result is small.
  Allowance allowed{kUlp, kUlp * std::abs(alpha), kUlp * std::abs(beta)};
  auto f = [=](double x) {
    double line = alpha * x + beta;
    return line < 0 ? 0 : line > 1 ? 1 : line;
  };
  ScalarMeaning cut = unary(f), uncut = computed(unary(f), allowed, dtype);
  return [=](const Bounded *operands) -> Meaning {
    auto [x, error] = operands[0];
    double line = alpha * x + beta, reach = std::abs(alpha) * error;
    reach += kUlp * (std::abs(alpha * x) + std::abs(beta) + 1);
    bool isCut = line + reach < 0 || line - reach > 1 ||
                 (std::isinf(line) && std::isfinite(error));
    return isCut ? cut(operands) : uncut(operands);
  };
}

ScalarMeaning clampMeaning(graph::ClampOp op) {
  double lower = op.getLower().convertToDouble();
  double upper = op.getUpper().convertToDouble();
  Type dtype = dtypeOf(op.getInput());
  auto f = unary([=](double x) {
    return std::isnan(x) ? x : std::min(std::max(x, lower), upper);
  });
  return [=](const Bounded *operands) -> Meaning {
    Meaning meaning = f(operands);
    auto [x, error] = operands[0];
    // The bounds are rounded, to float32 and where the result is stored.
    if (x - error < lower || x + error > upper) {
      double bound = x - error < lower ? lower : upper;
      meaning.rounding =
          storageError(std::abs(bound), dtype) + kRoundoff * std::abs(bound);
    }
    return meaning;
  };
}

} // namespace

ScalarMeaning floatMeaning(Operation *op) {
  Type dtype = dtypeOf(op->getResult(0));
  auto function = [&](Unary f, const Allowance &allowed,
                      double critical = std::nan("")) {
    return computed(unary(std::move(f), critical), allowed, dtype);
  };
  auto arithmetic = [&](Binary f, const Allowance &allowed) {
    return computed(binary(std::move(f)), allowed, dtype);
  };
  using namespace graph;
  return llvm::TypeSwitch<Operation *, ScalarMeaning>(op)
      .Case([&](AddOp) {
        return arithmetic(std::plus<>(), allowance::kArithmetic);
      })
      .Case([&](SubOp) {
        return arithmetic(std::minus<>(), allowance::kArithmetic);
      })
      .Case([&](MulOp) {
        return arithmetic(std::multiplies<>(), allowance::kArithmetic);
      })
      .Case([&](DivOp) {
        // x / 0 has the sign of the zero, which kernels need not keep.
        auto isUncertain = [](const Bounded *operands) {
          return contains(operands[1], 0) &&
                 (operands[1].error > 0 || operands[0].error > 0 ||
                  operands[0].value != 0);
        };
        return except(isUncertain,
                      arithmetic(std::divides<>(), allowance::kDivide));
      })
      .Case([&](PowOp) {
        return except(isUncertainPow, computed(powMeaning, Allowance{}, dtype));
      })
      .Case([&](ModOp) { return modMeaning(dtype); })
      .Case([&](MaxOp) { return binary(maximum); })
      .Case([&](MinOp) { return binary(minimum); })
      .Case([&](NegOp) { return unary(std::negate<>()); })
      .Case([&](AbsOp) {
        return unary([](double x) { return std::abs(x); }, 0.0);
      })
      .Case(
          [&](ReluOp) { return unary([](double x) { return x < 0 ? 0 : x; }); })
      .Case(
          [&](ExpOp) { return computed(expMeaning(), allowance::kExp, dtype); })
      .Case([&](LogOp) {
        auto isUncertain = [](const Bounded *x) {
          return x->value > 0 && isSubnormal(*x);
        };
        return except(
            isUncertain,
            function([](double x) { return std::log(x); }, allowance::kLog));
      })
      .Case([&](SqrtOp) {
        return function([](double x) { return std::sqrt(x); },
                        allowance::kSqrt);
      })
      .Case([&](RsqrtOp rsqrt) {
        double epsilon = rsqrt.getEpsilon().convertToDouble();
        // Operands below zero may cancel the rounded epsilon.
        auto isUncertain = [=](const Bounded *x) {
          Bounded sum{x->value + epsilon, x->error};
          return sum.value == 0 || isSubnormal(sum) ||
                 (epsilon != 0 && x->value - x->error < 0);
        };
        return except(
            isUncertain,
            function([=](double x) { return 1 / std::sqrt(x + epsilon); },
                     allowance::kRsqrt));
      })
      .Case([&](SinOp) {
        return periodic([](double x) { return std::sin(x); }, dtype);
      })
      .Case([&](CosOp) {
        return periodic([](double x) { return std::cos(x); }, dtype);
      })
      .Case([&](SignOp) { return unary(sign); })
      .Case([&](FloorOp) {
        return function([](double x) { return std::floor(x); }, Allowance{});
      })
      .Case([&](CeilOp) {
        return function([](double x) { return std::ceil(x); }, Allowance{});
      })
      .Case([&](RoundOp) {
        return function([](double x) { return std::nearbyint(x); },
                        Allowance{});
      })
      .Case(
          [&](SoftplusOp) { return function(softplus, allowance::kSoftplus); })
      .Case([&](MishOp) {
        return except(isMinusInfinity,
                      function(mish, allowance::kMish, -1.1924312145154));
      })
      .Case([&](EluOp elu) {
        double alpha = elu.getAlpha().convertToDouble();
        return function(
            [=](double x) { return x > 0 ? x : alpha * std::expm1(x); },
            allowance::kElu, 0.0);
      })
      .Case([&](HardSigmoidOp op) { return hardSigmoidMeaning(op, dtype); })
      .Case([&](TanhOp) {
        return function([](double x) { return std::tanh(x); },
                        allowance::kTanh);
      })
      .Case([&](ErfOp) {
        return function([](double x) { return std::erf(x); }, allowance::kErf);
      })
      .Case([&](SigmoidOp) { return function(sigmoid, allowance::kSigmoid); })
      .Case([&](SiluOp) {
        return except(isMinusInfinity,
                      function(silu, allowance::kSilu, -1.2784645427610738));
      })
      .Case([&](HardSwishOp) {
        return except(isMinusInfinity,
                      function(hardSwish, allowance::kHardSwish, -1.5));
      })
      .Case([&](LeakyReluOp leaky) {
        double alpha = leaky.getAlpha().convertToDouble();
        return function([=](double x) { return x < 0 ? alpha * x : x; },
                        allowance::kLeakyRelu, 0.0);
      })
      .Case([&](GeluOp gelu) {
        bool isTanh = gelu.getApproximate() == GeluApproximation::Tanh;
        return except(
            isMinusInfinity,
            function(isTanh ? geluTanh : geluErf, allowance::kGelu,
                     isTanh ? -0.7524614220710162 : -0.7517915246935645));
      })
      .Case([&](ClampOp clamp) { return clampMeaning(clamp); })
      .Default(ScalarMeaning());
}

} // namespace minic::reference
