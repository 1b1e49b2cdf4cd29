// SPDX-License-Identifier: Apache-2.0
//
// Sums of products with their bounds. Where operands carry errors, the sums
// that Tolerance.h asks for are matrix products too, of errors and squares.

#include "compiler/reference/SumOfProducts.h"

#include "compiler/reference/PointwiseMeanings.h"
#include "compiler/reference/Storage.h"
#include "compiler/reference/Tolerance.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace minic::reference {

bool isTf32(Operation *op) {
  auto module = op->getParentOfType<ModuleOp>();
  auto precision =
      module ? module->getAttrOfType<StringAttr>("kernel.float32_precision")
             : StringAttr();
  return precision && precision.getValue() == "tf32" &&
         getElementTypeOrSelf(op->getOperand(0).getType()).isF32();
}

void Factor::readTensor(Channel channel, int64_t row, int64_t column,
                        int64_t count, double *out) const {
  tensor_.read(channel, row, column, count, out);
  if (channel == Channel::Value || !tensor_.dtype().isF16()) {
    return;
  }
  std::vector<double> values(count), errors(count);
  tensor_.read(Channel::Value, row, column, count, values.data());
  tensor_.read(Channel::Error, row, column, count, errors.data());
  for (int64_t i = 0; i < count; ++i) {
    if (asOperand(tensor_.dtype(), values[i], errors[i]).error == kAnything) {
      out[i] = kAnything;
    }
  }
}

MatrixReader Factor::reader(Channel channel, bool squared) const {
  auto read = [this, channel, squared](int64_t row, int64_t column,
                                       int64_t count, double *out) {
    readRun(channel, row, column, count, out);
    if (squared) {
      for (int64_t i = 0; i < count; ++i) {
        out[i] *= out[i];
      }
    }
  };
  return {read, transposed_};
}

Bounded Factor::at(int64_t row, int64_t column) const {
  if (transposed_) {
    std::swap(row, column);
  }
  double value, error;
  readRun(Channel::Value, row, column, 1, &value);
  readRun(Channel::Error, row, column, 1, &error);
  return asOperand(tensor_.dtype(), value, error);
}

/// A sum with infinities, NaNs or unbounded errors among its products.
static Meaning sumOfSpecials(int64_t i, int64_t j, int64_t k, const Factor &lhs,
                             const Factor &rhs) {
  bool isUnknown = false, hasPositive = false, hasNegative = false;
  const Meaning nan{std::nan(""), 0, 0};
  auto isZero = [](const Bounded &x) { return x.value == 0 && x.error == 0; };
  for (int64_t step = 0; step < k; ++step) {
    Bounded a = lhs.at(i, step), b = rhs.at(step, j);
    if (lhs.isPad(i, step) || rhs.isPad(step, j)) {
      // Zero times infinity or NaN, or nothing.
      isUnknown |= !std::isfinite(a.value) || !std::isfinite(b.value) ||
                   a.error == kAnything || b.error == kAnything;
      continue;
    }
    if (std::isnan(a.value) || std::isnan(b.value)) {
      return nan;
    }
    if (a.error == kAnything || b.error == kAnything) {
      isUnknown = true;
    } else if (std::isinf(a.value) || std::isinf(b.value)) {
      if (isZero(a) || isZero(b)) {
        return nan;
      }
      if (std::abs(a.value) <= a.error || std::abs(b.value) <= b.error) {
        isUnknown = true;
        continue;
      }
      bool isNegative = std::signbit(a.value) != std::signbit(b.value);
      (isNegative ? hasNegative : hasPositive) = true;
    }
  }
  if (hasPositive && hasNegative) {
    return nan;
  }
  if (isUnknown || (!hasPositive && !hasNegative)) {
    return {0, kAnything, 0};
  }
  return {hasPositive ? HUGE_VAL : -HUGE_VAL, 0, 0};
}

SumOfProducts::SumOfProducts(int64_t m, int64_t n, int64_t k, const Factor &lhs,
                             const Factor &rhs, bool isTf32)
    : n_(n), k_(k), lhs_(lhs), rhs_(rhs) {
  auto multiply = [&](const MatrixReader &a, const MatrixReader &b) {
    return dot(m, n, k, a, b);
  };
  MatrixReader a = lhs.reader(Channel::Value);
  MatrixReader b = rhs.reader(Channel::Value);
  sums_ = multiply(a, b);
  hard_.assign(m * n, 0);
  common_.assign(m * n, 0);
  squares_.assign(m * n, 0);
  auto addErrors = [&](const DotSums &errors, const DotSums &squares) {
    for (size_t i = 0; i < hard_.size(); ++i) {
      hard_[i] += errors.absoluteSums[i];
      common_[i] += std::abs(errors.signedSums[i]);
      squares_[i] += squares.signedSums[i];
    }
  };
  if (isTf32) {
    // Both operands are rounded, or cut: see kTf32Roundoff.
    DotSums squared = multiply(lhs.reader(Channel::Value, true),
                               rhs.reader(Channel::Value, true));
    double worst = 2 * kTf32Roundoff * (2 + 2 * kTf32Roundoff);
    double both = kTf32Roundoff * (2 + kTf32Roundoff);
    double spread = kRoundingSpread * kTf32Roundoff;
    for (size_t i = 0; i < hard_.size(); ++i) {
      hard_[i] += worst * sums_.absoluteSums[i];
      common_[i] += both * std::abs(sums_.signedSums[i]);
      squares_[i] += 2 * spread * spread * squared.signedSums[i];
    }
  }
  if (!lhs.isExact()) {
    addErrors(multiply(lhs.reader(Channel::Error), b),
              multiply(lhs.reader(Channel::Spread, true),
                       rhs.reader(Channel::Value, true)));
  }
  if (!rhs.isExact()) {
    addErrors(multiply(a, rhs.reader(Channel::Error)),
              multiply(lhs.reader(Channel::Value, true),
                       rhs.reader(Channel::Spread, true)));
  }
  if (!lhs.isExact() && !rhs.isExact()) {
    DotSums both =
        multiply(lhs.reader(Channel::Error), rhs.reader(Channel::Error));
    for (size_t i = 0; i < hard_.size(); ++i) {
      hard_[i] += both.absoluteSums[i];
      common_[i] += both.absoluteSums[i];
    }
  }
}

std::pair<Meaning, double>
SumOfProducts::element(int64_t i, int64_t j, double terms, const Bounded *bias,
                       double biasSpread, Type dtype) const {
  int64_t at = i * n_ + j;
  double value = sums_.signedSums[at];
  double absolute = sums_.absoluteSums[at] + hard_[at];
  if (!std::isfinite(value) || !std::isfinite(absolute)) {
    Meaning special = sumOfSpecials(i, j, k_, lhs_, rhs_);
    if (bias && !std::isfinite(bias->value) && special.carried == 0) {
      special.value += bias->value;
    }
    return {special, special.carried};
  }
  double independent = common_[at] + std::sqrt(squares_[at]);
  double carried = std::min(hard_[at], independent);
  double spread = std::min(kRoundingSpread * hard_[at], independent);
  if (bias) {
    value += bias->value;
    absolute += std::abs(bias->value);
    carried += bias->error;
    spread += biasSpread;
    terms += 1;
  }
  if (dtype.isInteger()) {
    // Nothing is rounded, and what wraps does so in any order.
    double wrapped = double(wrapToDtype(toInteger(value), dtype));
    double error = wrapped == value || carried == 0 ? carried : kAnything;
    return {{wrapped, error, 0}, error};
  }
  if (absolute >= kLargest && std::isfinite(value)) {
    // Partial sums may overflow in one order and not in another.
    return {{0, kAnything, 0}, kAnything};
  }
  double rounding = reductionError(terms, value, absolute);
  Meaning meaning = storedFloat({value, carried, rounding}, dtype);
  spread += rounding + kRoundingSpread * (meaning.rounding - rounding);
  return {meaning, spread};
}

} // namespace minic::reference
