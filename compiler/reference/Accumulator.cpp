// SPDX-License-Identifier: Apache-2.0
//
// Sums, extremes and products of elements with errors. Bounds hold for any
// order: sums as in Tolerance.h with factors of 1; an extreme lies between the
// extremes of the intervals' ends; a product of n elements rounds n times.

#include "compiler/reference/Accumulator.h"

#include "compiler/reference/CarriedError.h"
#include "compiler/reference/PointwiseMeanings.h"
#include "compiler/reference/Storage.h"
#include "compiler/reference/Tolerance.h"

#include "llvm/Support/ErrorHandling.h"

using namespace mlir;

namespace minic::reference {

void Accumulator::add(const ElementReader::Element &element) {
  ++count_;
  hasUnknown_ |= element.error == kAnything;
  hasNan_ |= std::isnan(element.value) && element.error == 0;
  hasPositive_ |= element.value == HUGE_VAL;
  hasNegative_ |= element.value == -HUGE_VAL;
  hasZero_ |= element.value == 0 && element.error == 0;
  sum_ += element.value;
  absolute_ += std::abs(element.value);
  errors_ += element.error;
  squares_ += element.spread * element.spread;
  greatest_.add(element.value, element.error);
  least_.add(-element.value, element.error);
  product_ *= element.value;
  double magnitude = std::abs(element.value) + element.error;
  productBound_ *= magnitude;
  auto whole = uint64_t(isFloat_ ? 0 : toInteger(element.value));
  wholeSum_ += whole;
  wholeProduct_ *= whole;
  largestPartial_ *= std::max(magnitude, 1.0);
  smallestPartial_ *= std::min(std::abs(element.value), 1.0);
  if (element.error > 0 && element.error < kAnything) {
    spreadPerError_ = std::max(spreadPerError_, element.spread / element.error);
  }
}

std::pair<Meaning, double>
Accumulator::finish(graph::ReduceKind kind, Type dtype,
                    std::optional<double> divisor) const {
  if (hasNan_) {
    return {{std::nan(""), 0, 0}, 0};
  }
  if (hasUnknown_) {
    return {kUnknown, kAnything};
  }
  if (!isFloat_) {
    return finishInteger(kind, dtype);
  }
  switch (kind) {
  case graph::ReduceKind::Sum:
    return finishSum({}, dtype);
  case graph::ReduceKind::Mean:
    return finishSum(divisor.value_or(count_), dtype);
  case graph::ReduceKind::Max:
    return finishExtreme(greatest_, 1, dtype);
  case graph::ReduceKind::Min:
    return finishExtreme(least_, -1, dtype);
  case graph::ReduceKind::Prod:
    return finishProduct(dtype);
  }
  llvm_unreachable("all kinds are handled");
}

/// Exact, unless an element is not.
std::pair<Meaning, double> Accumulator::finishInteger(graph::ReduceKind kind,
                                                      Type dtype) const {
  if (errors_ > 0) {
    return {kUnknown, kAnything};
  }
  double value = kind == graph::ReduceKind::Max   ? greatest_.value
                 : kind == graph::ReduceKind::Min ? -least_.value
                 : kind == graph::ReduceKind::Sum
                     ? double(wrapToDtype(int64_t(wholeSum_), dtype))
                     : double(wrapToDtype(int64_t(wholeProduct_), dtype));
  double error = integerError(value);
  return {{value, error, 0}, error};
}

std::pair<Meaning, double> Accumulator::finishSum(std::optional<double> divisor,
                                                  Type dtype) const {
  if (hasPositive_ || hasNegative_) {
    return {{sum_, 0, 0}, 0}; // an infinity, or NaN of both
  }
  double magnitude = absolute_ + errors_;
  if (magnitude >= kLargest) {
    // Partial sums may overflow in one order and not in another.
    return {kUnknown, kAnything};
  }
  double rounding = reductionError(count_, sum_, magnitude);
  double independent =
      std::min(kRoundingSpread * errors_, errors_ + std::sqrt(squares_));
  Meaning meaning{sum_, errors_, rounding};
  if (divisor) {
    meaning = {sum_ / *divisor, errors_ / *divisor, rounding / *divisor};
    independent /= *divisor;
    meaning.rounding += allowance::kDivide.relative *
                            (std::abs(meaning.value) + meaning.carried) +
                        (sum_ == 0 ? 0 : kSmallestNormal);
  }
  double summed = meaning.rounding;
  meaning = storedFloat(meaning, dtype);
  return {meaning,
          independent + summed + kRoundingSpread * (meaning.rounding - summed)};
}

std::pair<Meaning, double>
Accumulator::finishExtreme(const Extreme &extreme, int sign, Type dtype) const {
  double value = sign * extreme.value;
  if (errors_ == 0 || std::isinf(value)) {
    return {{value, 0, 0}, 0}; // one of the elements
  }
  double carried =
      std::max(extreme.high - extreme.value, extreme.value - extreme.low);
  Meaning meaning = storedFloat({value, carried, 0}, dtype);
  return {meaning,
          carried * spreadPerError_ + kRoundingSpread * meaning.rounding};
}

std::pair<Meaning, double> Accumulator::finishProduct(Type dtype) const {
  if (hasPositive_ || hasNegative_) {
    // NaN of an infinity and a zero; uncertain where one may be a zero, or a
    // partial product flushed to it.
    bool mayBeZero =
        errors_ > 0 || (smallestPartial_ < kSmallestNormal && !hasZero_);
    return !mayBeZero ? std::pair(Meaning{product_, 0, 0}, 0.0)
                      : std::pair(kUnknown, kAnything);
  }
  if (largestPartial_ >= kLargest) {
    return {kUnknown, kAnything};
  }
  double relative =
      count_ * kRoundoff / (1 - std::min(count_ * kRoundoff, 0.5));
  Meaning meaning{product_, productBound_ - std::abs(product_),
                  relative * productBound_};
  if (smallestPartial_ < kSmallestNormal && !hasZero_) {
    // Partial products may be flushed to zero.
    meaning.rounding += std::abs(product_) + kSmallestNormal * largestPartial_;
  }
  double computed = meaning.rounding;
  meaning = storedFloat(meaning, dtype);
  return {meaning, meaning.carried * spreadPerError_ + computed +
                       kRoundingSpread * (meaning.rounding - computed)};
}

} // namespace minic::reference
