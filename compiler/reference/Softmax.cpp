// SPDX-License-Identifier: Apache-2.0
//
// p_i = e^(x_i - m) / s with s = sum of e^(x_j - m). It does not depend on m,
// so errors of the greatest element do not count. In a float32 kernel
//
// - operands within e_i give a relative error of at most expm1(e_i + max e_j),
//   and an absolute one of at most 1. A masked element, which is far below the
//   greatest, may have a large error and still be 0: it takes no part in this;
// - x_i - m is rounded once, which e^ turns into |x_i - m| u, relative;
// - an exponential is off by 8 ulp (allowance::kExp), in the numerator and, as
//   a mean weighted by p_j, in s;
// - n positive summands add f(n) u (reductionError), the quotient 2 u.
//
// An online kernel scales its sum by e^(m_old - m_new) some times. These
// factors are exponentials of the same kind: the bound counts one more.

#include "compiler/reference/Softmax.h"

#include "compiler/reference/CarriedError.h"
#include "compiler/reference/ElementReader.h"

#include <map>

using namespace mlir;

namespace minic::reference {
namespace {

using Element = ElementReader::Element;

/// Dimensions outside of the axis, along it, inside of it.
struct AxisExtents {
  explicit AxisExtents(graph::SoftmaxOp op) {
    ArrayRef<int64_t> shape = op.getType().getShape();
    axis = shape[op.getAxis()];
    inner = ShapedType::getNumElements(shape.drop_front(op.getAxis() + 1));
    length = shape.back();
    isLast = int64_t(op.getAxis()) + 1 == int64_t(shape.size());
  }
  /// The row of the first element along the axis of those in `row`.
  int64_t firstRow(int64_t row) const {
    if (isLast) {
      return row;
    }
    int64_t innerRows = inner / length;
    return row / (innerRows * axis) * innerRows * axis + row % innerRows;
  }
  /// Rows from one index of the axis to the next.
  int64_t rowStep() const { return isLast ? 0 : inner / length; }

  int64_t axis, inner, length;
  bool isLast;
};

struct Probability {
  Meaning meaning;
  double spread = 0;
};

/// Whether e to `x` is nothing beside e to `low`.
bool isNegligible(const Element &x, double low) {
  return isHugeNegative(x) || x.value + x.error < low - kNegligible;
}

/// A row without NaN and +infinity, whose `greatest` element is finite. `low`
/// is what the greatest is at least.
std::vector<Probability> evaluateFinite(ArrayRef<Element> xs, double greatest,
                                        double low, Type dtype) {
  double sum = 0, distance = 0, error = 0, spreadPerError = 1;
  for (const Element &x : xs) {
    double power = std::exp(x.value - greatest);
    sum += power;
    // An element of -infinity is a certain 0.
    distance += power > 0 ? power * (greatest - x.value) : 0;
    if (isNegligible(x, low)) {
      continue;
    }
    error = std::max(error, x.error);
    if (x.error > 0) {
      spreadPerError = std::max(spreadPerError, x.spread / x.error);
    }
  }
  double ofSum = 2 * allowance::kExp.relative + kRoundoff * distance / sum +
                 reductionError(double(xs.size()), sum, sum) / sum;
  std::vector<Probability> row;
  for (const Element &x : xs) {
    if (x.value == -HUGE_VAL && x.error == 0) {
      row.push_back({});
      continue;
    }
    double value = std::exp(x.value - greatest) / sum;
    if (isNegligible(x, low)) {
      row.push_back({{value, 0, kSmallestNormal}, kSmallestNormal});
      continue;
    }
    double relative = ofSum + allowance::kExp.relative +
                      kRoundoff * (greatest - x.value) +
                      allowance::kDivide.relative;
    // Small exponentials may be flushed to zero.
    double most = std::max(value, 1 - value);
    double carried = value * std::expm1(x.error + error);
    Meaning meaning{value, carried < most ? carried : most,
                    value * relative + kSmallestNormal};
    meaning = storedFloat(meaning, dtype);
    row.push_back({meaning, meaning.carried * spreadPerError +
                                meaning.rounding * kRoundingSpread});
  }
  return row;
}

std::vector<Probability> evaluateRow(ArrayRef<Element> xs, Type dtype) {
  double greatest = -HUGE_VAL, low = -HUGE_VAL;
  bool isUnknown = false, isNan = false, hasHuge = false;
  for (const Element &x : xs) {
    if (isHugeNegative(x)) {
      hasHuge = true;
      continue;
    }
    isUnknown |= x.error == kAnything;
    isNan |= std::isnan(x.value) && x.error == 0;
    greatest = std::max(greatest, x.value);
    low = std::max(low, x.value - x.error);
  }
  isUnknown |= hasHuge && low < kNegligible - kHuge;
  if (!isNan && isUnknown) {
    return {xs.size(), {kUnknown, kAnything}};
  }
  if (isNan || std::isinf(greatest)) {
    return {xs.size(), {{std::nan(""), 0, 0}, 0}};
  }
  return evaluateFinite(xs, greatest, low, dtype);
}

} // namespace

void demandOfInput(graph::SoftmaxOp op, const llvm::BitVector &rows,
                   llvm::BitVector &needed) {
  AxisExtents extents(op);
  for (unsigned row : rows.set_bits()) {
    int64_t first = extents.firstRow(row);
    for (int64_t i = 0; i < (extents.isLast ? 1 : extents.axis); ++i) {
      needed.set(first + i * extents.rowStep());
    }
  }
}

void evaluateSoftmax(graph::SoftmaxOp op, Lookup operand, RowTensor &result) {
  AxisExtents extents(op);
  ElementReader input(operand(op.getInput()));
  // Demanded rows that share their sums are computed together.
  std::map<int64_t, std::vector<int64_t>> groups;
  for (int64_t row : result.rows()) {
    groups[extents.firstRow(row)].push_back(row);
  }
  int64_t sums = extents.isLast ? 1 : extents.length;
  for (const auto &[firstRow, rows] : groups) {
    std::vector<std::vector<Element>> elements(sums);
    for (int64_t i = 0; i < extents.axis; ++i) {
      for (int64_t column = 0; column < sums; ++column) {
        elements[column].push_back(
            input.at(firstRow * extents.length + i * extents.inner + column));
      }
    }
    for (int64_t column = 0; column < sums; ++column) {
      std::vector<Probability> values =
          evaluateRow(elements[column], result.dtype());
      auto store = [&](int64_t row, int64_t at, const Probability &p) {
        result.data(Channel::Value, row)[at] = p.meaning.value;
        result.data(Channel::Error, row)[at] =
            p.meaning.carried + p.meaning.rounding;
        result.data(Channel::Spread, row)[at] = p.spread;
      };
      for (int64_t row : rows) {
        if (!extents.isLast) {
          store(row, column, values[(row - firstRow) / extents.rowStep()]);
          continue;
        }
        for (int64_t i = 0; i < extents.axis; ++i) {
          store(row, i, values[i]);
        }
      }
    }
  }
}

} // namespace minic::reference
