// SPDX-License-Identifier: Apache-2.0
//
// Which meaning an op has, and what becomes of values between ops.

#include "compiler/reference/CarriedError.h"
#include "compiler/reference/PointwiseMeanings.h"
#include "compiler/reference/Storage.h"

using namespace mlir;

namespace minic::reference {

/// What may have overflowed, or is `least` at least; of the sign of `value`.
static Bounded maybeInfinite(double value, double least) {
  return {least >= kHuge ? std::copysign(HUGE_VAL, value) : 0, kAnything};
}

Bounded asOperand(Type dtype, double value, double error) {
  double magnitude = std::abs(value);
  if (isa<FloatType>(dtype) && std::isfinite(value) &&
      magnitude + error >= getFloatFormat(dtype).overflow) {
    return maybeInfinite(value, magnitude - error);
  }
  if (isa<IntegerType>(dtype)) {
    error += integerError(value);
  }
  return {value, error};
}

/// `stored`, which was at most `reach` before it was rounded to the nearest of
/// `dtype`: its error reaches beyond the format, but it is finite. So that this
/// is seen from value and error, they become the middle and half the width of
/// what is possible.
static Meaning keptInRange(Meaning stored, double reach, Type dtype) {
  FloatFormat format = getFloatFormat(dtype);
  double magnitude = std::abs(stored.value);
  double error = stored.carried + stored.rounding;
  if (magnitude + error < format.overflow || reach >= format.overflow) {
    return stored;
  }
  double most = std::max(reach, format.largest), least = magnitude - error;
  if (stored.carried == 0) {
    // The middle of a number and what it is rounded to is rounded to the same:
    // a constant is folded right.
    double rounded = roundToDtype(magnitude, dtype);
    most = std::max(magnitude, rounded);
    least = std::min(magnitude, rounded);
  }
  double half = (most - least) / 2, carried = std::min(stored.carried, half);
  return {std::copysign(least + half, stored.value), carried, half - carried};
}

Meaning storedFloat(Meaning meaning, Type dtype, bool isNearest) {
  double error = meaning.carried + meaning.rounding;
  if (!std::isfinite(meaning.value) || error == kAnything) {
    return meaning;
  }
  double magnitude = std::abs(meaning.value);
  // Of what is rounded to float32.
  double off = isNearest ? meaning.carried : error;
  if (magnitude + off >= kLargest) {
    if (magnitude - off >= kLargest) {
      return {std::copysign(HUGE_VAL, meaning.value), 0, 0};
    }
    auto [value, anything] = maybeInfinite(meaning.value, magnitude - error);
    return {value, anything, 0};
  }
  double reach = magnitude + off;
  if (!dtype.isF32()) {
    reach = magnitude + error; // in float32
    meaning.rounding += storageError(reach, dtype);
  }
  return isNearest ? keptInRange(meaning, reach, dtype) : meaning;
}

ScalarMeaning getScalarMeaning(Operation *op) {
  if (auto compare = dyn_cast<graph::CompareOp>(op)) {
    return compare.getLhs() == compare.getRhs()
               ? selfCompareMeaning(compare.getPredicate())
               : compareMeaning(compare.getPredicate());
  }
  if (isa<graph::IsNanOp>(op)) {
    return isNanMeaning;
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
  return isa<FloatType>(dtypeOf(op->getResult(0))) ? floatMeaning(op)
                                                   : integerMeaning(op);
}

} // namespace minic::reference
