// SPDX-License-Identifier: Apache-2.0
//
// The meanings of the pointwise ops. A float op is a float64 function, whose
// range over the operands' intervals gives the error it carries on, and an
// Allowance for the float32 kernel. Integer ops are exact modulo their width.

#include "compiler/reference/ScalarMeaning.h"

#include "compiler/reference/Storage.h"
#include "compiler/reference/Tolerance.h"
#include "dialects/graph/Graph.h"

#include "llvm/ADT/TypeSwitch.h"

#include <numbers>

using namespace mlir;

namespace minic::reference {

namespace {

constexpr Meaning kUnknown{0, kAnything, 0};

Type dtypeOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getElementType();
}

bool isFloat(Value value) { return isa<FloatType>(dtypeOf(value)); }

/// The largest distance from `value` to any of `others`. NaN or infinite
/// results are certain where all agree; else anything may come out.
Meaning carry(double value, std::initializer_list<double> others) {
  double furthest = 0;
  for (double other : others) {
    if (std::isnan(value) || std::isnan(other)) {
      if (std::isnan(value) != std::isnan(other)) {
        return kUnknown;
      }
    } else if (value != other) {
      furthest = std::max(furthest, std::abs(value - other));
    }
  }
  if (!std::isfinite(furthest)) {
    return kUnknown;
  }
  return {value, furthest, 0};
}

/// Applies `allowance` to a result of operand `x`.
double roundingOf(const Allowance &allowance, const Meaning &result,
                  const Bounded &x) {
  double magnitude = std::abs(result.value) + result.carried;
  if (!std::isfinite(magnitude)) {
    return 0;
  }
  double rounding = allowance.relative * magnitude +
                    allowance.perInput * (std::abs(x.value) + x.error) +
                    allowance.absolute;
  bool mayFlush = magnitude != 0 && magnitude < kSmallestNormal / kRoundoff;
  return rounding + (mayFlush ? kSmallestNormal : 0);
}

using Unary = std::function<double(double)>;
using Binary = std::function<double(double, double)>;

/// A function that is monotone but for a turning point at `critical`.
ScalarMeaning unary(Unary f, double critical = std::nan("")) {
  return [=](const Bounded *operands) -> Meaning {
    auto [x, error] = operands[0];
    if (error == 0) {
      return {f(x), 0, 0};
    }
    if (error == kAnything) {
      return kUnknown;
    }
    double middle = x - error < critical && critical < x + error ? critical : x;
    return carry(f(x), {f(x - error), f(x + error), f(middle)});
  };
}

/// A function that is monotone in each operand, whose extremes over two
/// intervals are therefore at the corners.
ScalarMeaning binary(Binary f) {
  return [=](const Bounded *operands) -> Meaning {
    auto [x, ex] = operands[0];
    auto [y, ey] = operands[1];
    if (ex == 0 && ey == 0) {
      return {f(x, y), 0, 0};
    }
    if (ex == kAnything || ey == kAnything) {
      // NaN comes through whatever the other operand is.
      bool isNan = (ex == 0 && std::isnan(x)) || (ey == 0 && std::isnan(y));
      return isNan ? Meaning{std::nan(""), 0, 0} : kUnknown;
    }
    return carry(f(x, y), {f(x - ex, y - ey), f(x - ex, y + ey),
                           f(x + ex, y - ey), f(x + ex, y + ey)});
  };
}

/// `exact` computed in float32 within `allowance` and stored in `dtype`.
ScalarMeaning computed(ScalarMeaning exact, Allowance allowance, Type dtype) {
  return [=](const Bounded *operands) -> Meaning {
    Meaning meaning = exact(operands);
    meaning.rounding += roundingOf(allowance, meaning, operands[0]);
    return storedFloat(meaning, dtype);
  };
}

bool contains(const Bounded &x, double point) {
  return std::abs(x.value - point) <= x.error;
}

/// `exact`, and anything where the operand is in an uncertain place.
ScalarMeaning except(std::function<bool(const Bounded *)> isUncertain,
                     ScalarMeaning exact) {
  return [=](const Bounded *operands) -> Meaning {
    return isUncertain(operands) ? kUnknown : exact(operands);
  };
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

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

/// What a float32 pow is less than certain about: bases that may be negative or
/// zero under an error, and 0 ** negative, whose sign is that of the zero.
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

//===----------------------------------------------------------------------===//
// Ops with kinks and steps
//===----------------------------------------------------------------------===//

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

ScalarMeaning compareMeaning(graph::ComparePredicate predicate) {
  return [=](const Bounded *operands) -> Meaning {
    auto [x, ex] = operands[0];
    auto [y, ey] = operands[1];
    using P = graph::ComparePredicate;
    auto holds = [=](double a, double b) {
      switch (predicate) {
      case P::Eq:
        return a == b;
      case P::Ne:
        return a != b;
      case P::Lt:
        return a < b;
      case P::Le:
        return a <= b;
      case P::Gt:
        return a > b;
      case P::Ge:
        return a >= b;
      }
      llvm_unreachable("all predicates are handled");
    };
    double value = holds(x, y);
    if (ex == 0 && ey == 0) {
      return {value, 0, 0};
    }
    // Certain where the intervals are apart. NaN has no error.
    bool apart = std::isnan(x) || std::isnan(y) || std::abs(x - y) > ex + ey;
    return {value, apart && ex + ey != kAnything ? 0.0 : 1.0, 0};
  };
}

Meaning selectMeaning(const Bounded *operands) {
  const Bounded &chosen = operands[operands[0].value != 0 ? 1 : 2];
  const Bounded &other = operands[operands[0].value != 0 ? 2 : 1];
  if (operands[0].error == 0) {
    return {chosen.value, chosen.error, 0};
  }
  if (chosen.error == kAnything || other.error == kAnything) {
    return kUnknown;
  }
  // Either branch, and whatever lies between them.
  Meaning meaning = carry(chosen.value, {other.value});
  meaning.carried = std::max(chosen.error, meaning.carried + other.error);
  return meaning;
}

/// Float64 holds integers up to here exactly.
constexpr double kExactInteger = 0x1p53;

int64_t toInteger(double value) {
  return value >= 0x1p63 ? INT64_MAX : int64_t(value);
}

double integerError(double value) {
  return std::abs(value) > kExactInteger ? std::abs(value) * 0x1p-52 : 0;
}

ScalarMeaning castMeaning(graph::CastOp op) {
  Type from = dtypeOf(op.getInput()), to = dtypeOf(op.getResult());
  if (to.isInteger(1)) {
    return [](const Bounded *operands) -> Meaning {
      const Bounded &x = operands[0];
      return {x.value != 0 ? 1.0 : 0.0,
              x.error > 0 && !(std::abs(x.value) > x.error) ? 1.0 : 0.0, 0};
    };
  }
  if (isa<IntegerType>(to) && isa<IntegerType>(from)) {
    return [=](const Bounded *operands) -> Meaning {
      auto [x, error] = operands[0];
      double wrapped = double(wrapToDtype(toInteger(x), to));
      return {wrapped, wrapped == x || error == 0 ? error : kAnything, 0};
    };
  }
  if (isa<IntegerType>(to)) {
    double limit = std::ldexp(1.0, to.getIntOrFloatBitWidth() - 1);
    return [=](const Bounded *operands) -> Meaning {
      static const ScalarMeaning f =
          unary([](double x) { return std::trunc(x); });
      auto [x, error] = operands[0];
      // Out of range, and NaN, are undefined.
      bool fits = x + error < limit && x - error > -limit - 1;
      return fits ? f(operands) : kUnknown;
    };
  }
  return [=](const Bounded *operands) -> Meaning {
    auto [x, error] = operands[0];
    // Integers go through float32 and may be rounded twice on the way.
    bool isOneRounding = isa<FloatType>(from) || std::abs(x) < 0x1p24;
    if (error == 0 && isOneRounding) {
      bool mayFlush = x != 0 && std::abs(x) < kSmallestNormal && !to.isF16();
      return {roundToDtype(x, to), 0, mayFlush ? kSmallestNormal : 0};
    }
    bool widens = isa<FloatType>(from) && (to.isF32() || from == to);
    double magnitude = std::abs(x) + error;
    double rounding =
        widens || !std::isfinite(magnitude) ? 0 : storageError(magnitude, to);
    if (!isOneRounding) {
      rounding += kRoundoff * magnitude;
    }
    return {x, error, rounding};
  };
}

//===----------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------===//

using IntegerFunction = std::function<int64_t(int64_t, int64_t)>;

/// `f` modulo the width of `dtype`; operands are exact, or the result may be
/// anything. Unary functions ignore the second argument.
ScalarMeaning integer(Type dtype, unsigned operandCount, IntegerFunction f) {
  return [=](const Bounded *operands) -> Meaning {
    const Bounded &x = operands[0], &y = operands[operandCount - 1];
    if (x.error + y.error > 0) {
      return kUnknown;
    }
    int64_t result = f(toInteger(x.value), toInteger(y.value));
    double value = double(wrapToDtype(result, dtype));
    return {value, integerError(value), 0};
  };
}

ScalarMeaning integerMeaning(Operation *op) {
  Type dtype = dtypeOf(op->getResult(0));
  // Unsigned arithmetic wraps where signed is undefined.
  auto binaryOp = [&](IntegerFunction f) { return integer(dtype, 2, f); };
  auto unaryOp = [&](IntegerFunction f) { return integer(dtype, 1, f); };
  return llvm::TypeSwitch<Operation *, ScalarMeaning>(op)
      .Case([&](graph::AddOp) {
        return binaryOp(
            [](int64_t x, int64_t y) { return uint64_t(x) + uint64_t(y); });
      })
      .Case([&](graph::SubOp) {
        return binaryOp(
            [](int64_t x, int64_t y) { return uint64_t(x) - uint64_t(y); });
      })
      .Case([&](graph::MulOp) {
        return binaryOp(
            [](int64_t x, int64_t y) { return uint64_t(x) * uint64_t(y); });
      })
      .Case([&](graph::MaxOp) {
        return binaryOp([](int64_t x, int64_t y) { return std::max(x, y); });
      })
      .Case([&](graph::MinOp) {
        return binaryOp([](int64_t x, int64_t y) { return std::min(x, y); });
      })
      .Case([&](graph::NegOp) {
        return unaryOp([](int64_t x, int64_t) { return -uint64_t(x); });
      })
      .Case([&](graph::AbsOp) {
        return unaryOp(
            [](int64_t x, int64_t) { return x < 0 ? -uint64_t(x) : x; });
      })
      .Default(ScalarMeaning());
}

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
      .Case([&](RsqrtOp) {
        auto isUncertain = [](const Bounded *x) {
          return x->value == 0 || isSubnormal(*x);
        };
        return except(isUncertain,
                      function([](double x) { return 1 / std::sqrt(x); },
                               allowance::kRsqrt));
      })
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

} // namespace

Bounded asOperand(Type dtype, double value, double error) {
  if (isa<FloatType>(dtype) && std::isfinite(value) &&
      std::abs(value) + error >= getFloatFormat(dtype).overflow) {
    return {0, kAnything};
  }
  if (isa<IntegerType>(dtype)) {
    error += integerError(value);
  }
  return {value, error};
}

Meaning storedFloat(Meaning meaning, Type dtype) {
  double error = meaning.carried + meaning.rounding;
  if (!std::isfinite(meaning.value) || error == kAnything) {
    return meaning;
  }
  double magnitude = std::abs(meaning.value);
  if (magnitude + error >= kLargest) {
    return magnitude - error >= kLargest
               ? Meaning{std::copysign(HUGE_VAL, meaning.value), 0, 0}
               : kUnknown;
  }
  if (!dtype.isF32()) {
    meaning.rounding += storageError(magnitude + error, dtype);
  }
  return meaning;
}

ScalarMeaning getScalarMeaning(Operation *op) {
  if (auto compare = dyn_cast<graph::CompareOp>(op)) {
    return compareMeaning(compare.getPredicate());
  }
  if (isa<graph::SelectOp>(op)) {
    return selectMeaning;
  }
  if (auto castOp = dyn_cast<graph::CastOp>(op)) {
    return castMeaning(castOp);
  }
  if (!isa<graph::PointwiseOpInterface>(op)) {
    return {};
  }
  return isFloat(op->getResult(0)) ? floatMeaning(op) : integerMeaning(op);
}

} // namespace minic::reference
