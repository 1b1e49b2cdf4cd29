// SPDX-License-Identifier: Apache-2.0
//
// How a function carries the errors of its operands on: its range over their
// intervals.

#ifndef MINIC_COMPILER_REFERENCE_CARRIEDERROR_H
#define MINIC_COMPILER_REFERENCE_CARRIEDERROR_H

#include "compiler/reference/ScalarMeaning.h"
#include "compiler/reference/Tolerance.h"

namespace minic::reference {

/// Anything may come out.
inline constexpr Meaning kUnknown{0, kAnything, 0};

using Unary = std::function<double(double)>;
using Binary = std::function<double(double, double)>;

/// The largest distance from `value` to any of `others`. NaN or infinite
/// results are certain where all agree; else anything may come out.
Meaning carry(double value, std::initializer_list<double> others);

/// A function that is monotone but for a turning point at `critical`.
ScalarMeaning unary(Unary f, double critical = std::nan(""));

/// A function that is monotone in each operand, whose extremes over two
/// intervals are therefore at the corners.
ScalarMeaning binary(Binary f);

/// `exact` computed in float32 within `allowance` and stored in `dtype`.
ScalarMeaning computed(ScalarMeaning exact, Allowance allowance,
                       mlir::Type dtype);

/// `exact`, and anything where the operands are in an uncertain place.
ScalarMeaning except(std::function<bool(const Bounded *)> isUncertain,
                     ScalarMeaning exact);

/// Whether `x` may be `point`.
inline bool contains(const Bounded &x, double point) {
  return std::abs(x.value - point) <= x.error;
}

} // namespace minic::reference

#endif // MINIC_COMPILER_REFERENCE_CARRIEDERROR_H
