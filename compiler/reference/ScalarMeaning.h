// SPDX-License-Identifier: Apache-2.0
//
// ScalarMeaning: each pointwise op on one element, in float64, with the error
// it carries on and the error that a float32 kernel adds.

#ifndef MINIC_COMPILER_REFERENCE_SCALARMEANING_H
#define MINIC_COMPILER_REFERENCE_SCALARMEANING_H

#include "mlir/IR/Operation.h"

#include <cmath>
#include <functional>

namespace minic::reference {

/// A value, and a bound on how far a correct kernel's may be from it; an
/// infinite bound accepts anything, NaN included. Infinite and NaN values have
/// an error of 0 (certain) or infinity. An infinite value with an infinite
/// error has that sign and is at least kHuge, if not infinite: see
/// isHugeNegative.
struct Bounded {
  double value = 0, error = 0;
};

/// A result: `carried` is the operands' errors seen through the op, `rounding`
/// what computing it in float32 and storing it in its dtype may add.
struct Meaning {
  double value = 0, carried = 0, rounding = 0;
};

/// Called with one Bounded per operand.
using ScalarMeaning = std::function<Meaning(const Bounded *operands)>;

/// The meaning of `op`; null where it is not a pointwise graph op.
ScalarMeaning getScalarMeaning(mlir::Operation *op);

/// An operand of `dtype` as a kernel may see it: anything where it may have
/// overflowed on its way through memory.
Bounded asOperand(mlir::Type dtype, double value, double error);

/// Whether all that is known of `x` is that it is at most -kHuge.
inline bool isHugeNegative(const Bounded &x) {
  return x.value == -HUGE_VAL && x.error == HUGE_VAL;
}

/// A float computed in float32: overflow is certain infinity, or anything where
/// it is within the error; a 16-bit `dtype` adds its rounding. A result that is
/// rounded to the nearest (`isNearest`) is finite where it was less than half
/// an ulp beyond the largest number: its value may then move towards zero, to
/// the middle of what is possible.
Meaning storedFloat(Meaning computed, mlir::Type dtype, bool isNearest = false);

} // namespace minic::reference

#endif // MINIC_COMPILER_REFERENCE_SCALARMEANING_H
