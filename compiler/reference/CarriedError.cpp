// SPDX-License-Identifier: Apache-2.0
//
// Ranges at the ends of intervals, their corners and turning points.

#include "compiler/reference/CarriedError.h"

using namespace mlir;

namespace minic::reference {

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

ScalarMeaning unary(Unary f, double critical) {
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

/// Applies `allowance` to a result of operand `x`.
static double roundingOf(const Allowance &allowance, const Meaning &result,
                         const Bounded &x) {
  double magnitude = std::abs(result.value) + result.carried;
  if (!std::isfinite(magnitude)) {
    return 0;
  }
  double rounding = allowance.relative * magnitude + allowance.absolute;
  if (allowance.perInput > 0) { // exp(-infinity) has none of 0 * infinity
    rounding += allowance.perInput * (std::abs(x.value) + x.error);
  }
  bool mayFlush = magnitude != 0 && magnitude < kSmallestNormal / kRoundoff;
  return rounding + (mayFlush ? kSmallestNormal : 0);
}

/// Whether a correct rounding of `exact` does nothing in any dtype. Only small
/// integers count, such as the 0 and 1 of masks: multiplied by the lowest
/// number, 1 and a rounding would be infinite.
static bool isExact(const Meaning &exact) {
  double value = exact.value;
  return exact.carried == 0 && std::abs(value) <= 256 &&
         std::nearbyint(value) == value;
}

ScalarMeaning computed(ScalarMeaning exact, Allowance allowance, Type dtype) {
  return [=](const Bounded *operands) -> Meaning {
    Meaning meaning = exact(operands);
    if (allowance.isNearest && isExact(meaning)) {
      return meaning;
    }
    meaning.rounding += roundingOf(allowance, meaning, operands[0]);
    return storedFloat(meaning, dtype, allowance.isNearest);
  };
}

ScalarMeaning except(std::function<bool(const Bounded *)> isUncertain,
                     ScalarMeaning exact) {
  return [=](const Bounded *operands) -> Meaning {
    return isUncertain(operands) ? kUnknown : exact(operands);
  };
}

} // namespace minic::reference
