// SPDX-License-Identifier: Apache-2.0
//
// Which meaning an op has, and what becomes of values between ops.

#include "compiler/reference/CarriedError.h"
#include "compiler/reference/PointwiseMeanings.h"
#include "compiler/reference/Storage.h"

using namespace mlir;

namespace minic::reference {

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
