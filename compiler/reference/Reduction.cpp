// SPDX-License-Identifier: Apache-2.0
//
// Sums, extremes and products of elements with errors. Bounds hold for any
// order: sums as in Tolerance.h with factors of 1; an extreme lies between the
// extremes of the intervals' ends; a product of n elements rounds n times.

#include "compiler/reference/Reduction.h"

#include "compiler/reference/CarriedError.h"
#include "compiler/reference/ElementReader.h"
#include "compiler/reference/PointwiseMeanings.h"
#include "compiler/reference/Storage.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace minic::reference {
namespace {

using Element = ElementReader::Element;

/// Which elements a reduction puts together, as row-major offsets.
struct ReducedOffsets {
  explicit ReducedOffsets(graph::ReduceOp op) {
    ArrayRef<int64_t> shape = op.getInput().getType().getShape();
    resultShape = op.getType().getShape();
    SmallVector<int64_t> inputStrides(shape.size());
    int64_t stride = 1;
    for (size_t dim = shape.size(); dim-- > 0; stride *= shape[dim]) {
      inputStrides[dim] = stride;
    }
    for (auto [dim, extent] : llvm::enumerate(shape)) {
      if (!llvm::is_contained(op.getAxes(), int64_t(dim))) {
        strides.push_back(inputStrides[dim]);
        continue;
      }
      if (op.getKeepDims()) {
        strides.push_back(0);
      }
      std::vector<int64_t> longer;
      for (int64_t offset : reduced) {
        for (int64_t i = 0; i < extent; ++i) {
          longer.push_back(offset + i * inputStrides[dim]);
        }
      }
      reduced = std::move(longer);
    }
    keepsLast = op.getAxes().back() + 1 != int64_t(shape.size());
  }

  /// The first element that the first element of result row `row` reads.
  int64_t firstOf(int64_t row) const {
    int64_t offset = 0;
    for (size_t dim = strides.size(); dim-- > 0;) {
      if (dim + 1 == strides.size()) {
        continue; // along the row
      }
      offset += row % resultShape[dim] * strides[dim];
      row /= resultShape[dim];
    }
    return offset;
  }
  int64_t step() const { return strides.empty() ? 0 : strides.back(); }

  ArrayRef<int64_t> resultShape;
  SmallVector<int64_t> strides; // of the result's dimensions in the input
  std::vector<int64_t> reduced{0};
  bool keepsLast; // a result row's neighbours are neighbours in the input
};

/// The elements of one result, taken in one by one.
class Accumulator {
public:
  explicit Accumulator(bool isFloat) : isFloat_(isFloat) {}

  void add(const Element &element) {
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
      spreadPerError_ =
          std::max(spreadPerError_, element.spread / element.error);
    }
  }

  std::pair<Meaning, double> finish(graph::ReduceKind kind, Type dtype) const {
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
    case graph::ReduceKind::Mean:
      return finishSum(kind == graph::ReduceKind::Mean, dtype);
    case graph::ReduceKind::Max:
      return finishExtreme(greatest_, 1, dtype);
    case graph::ReduceKind::Min:
      return finishExtreme(least_, -1, dtype);
    case graph::ReduceKind::Prod:
      return finishProduct(dtype);
    }
    llvm_unreachable("all kinds are handled");
  }

private:
  /// The greatest of intervals.
  struct Extreme {
    double value = -HUGE_VAL, low = -HUGE_VAL, high = -HUGE_VAL;
    void add(double x, double error) {
      value = std::max(value, x);
      low = std::max(low, x - error);
      high = std::max(high, x + error);
    }
  };

  /// Exact, unless an element is not.
  std::pair<Meaning, double> finishInteger(graph::ReduceKind kind,
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

  std::pair<Meaning, double> finishSum(bool isMean, Type dtype) const {
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
    if (isMean) {
      meaning = {sum_ / count_, errors_ / count_, rounding / count_};
      independent /= count_;
      meaning.rounding += allowance::kDivide.relative *
                              (std::abs(meaning.value) + meaning.carried) +
                          (sum_ == 0 ? 0 : kSmallestNormal);
    }
    double summed = meaning.rounding;
    meaning = storedFloat(meaning, dtype);
    return {meaning, independent + summed +
                         kRoundingSpread * (meaning.rounding - summed)};
  }

  std::pair<Meaning, double> finishExtreme(const Extreme &extreme, int sign,
                                           Type dtype) const {
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

  std::pair<Meaning, double> finishProduct(Type dtype) const {
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
      meaning.rounding +=
          std::abs(product_) + kSmallestNormal * largestPartial_;
    }
    double computed = meaning.rounding;
    meaning = storedFloat(meaning, dtype);
    return {meaning, meaning.carried * spreadPerError_ + computed +
                         kRoundingSpread * (meaning.rounding - computed)};
  }

  bool isFloat_;
  uint64_t wholeSum_ = 0, wholeProduct_ = 1; // of integers, as they wrap
  double count_ = 0;
  bool hasNan_ = false, hasUnknown_ = false;
  bool hasPositive_ = false, hasNegative_ = false, hasZero_ = false;
  double sum_ = 0, absolute_ = 0, errors_ = 0, squares_ = 0;
  double product_ = 1, productBound_ = 1;
  /// Of the elements beyond 1 and those below 1.
  double largestPartial_ = 1, smallestPartial_ = 1;
  double spreadPerError_ = 1;
  Extreme greatest_, least_;
};

} // namespace

void demandOfInput(graph::ReduceOp op, const llvm::BitVector &rows,
                   llvm::BitVector &needed) {
  ReducedOffsets offsets(op);
  int64_t inputLength = rowLength(op.getInput().getType());
  int64_t columns = offsets.keepsLast ? 1 : rowLength(op.getType());
  for (unsigned row : rows.set_bits()) {
    for (int64_t column = 0; column < columns; ++column) {
      int64_t first = offsets.firstOf(row) + column * offsets.step();
      // Of the last dimension one element is enough.
      size_t stride = offsets.keepsLast ? 1 : inputLength;
      for (size_t i = 0; i < offsets.reduced.size(); i += stride) {
        needed.set((first + offsets.reduced[i]) / inputLength);
      }
    }
  }
}

void evaluateReduce(graph::ReduceOp op, Lookup operand, RowTensor &result) {
  ReducedOffsets offsets(op);
  ElementReader input(operand(op.getInput()));
  for (int64_t row : result.rows()) {
    int64_t first = offsets.firstOf(row);
    std::vector<Accumulator> elements(
        result.length(), Accumulator(isa<FloatType>(result.dtype())));
    auto add = [&](int64_t column, int64_t offset) {
      elements[column].add(input.at(first + column * offsets.step() + offset));
    };
    // Rows of the input one after the other.
    if (offsets.keepsLast) {
      for (int64_t offset : offsets.reduced) {
        for (int64_t column = 0; column < result.length(); ++column) {
          add(column, offset);
        }
      }
    } else {
      for (int64_t column = 0; column < result.length(); ++column) {
        for (int64_t offset : offsets.reduced) {
          add(column, offset);
        }
      }
    }
    for (int64_t column = 0; column < result.length(); ++column) {
      auto [meaning, spread] =
          elements[column].finish(op.getKind(), result.dtype());
      result.data(Channel::Value, row)[column] = meaning.value;
      result.data(Channel::Error, row)[column] =
          meaning.carried + meaning.rounding;
      result.data(Channel::Spread, row)[column] = spread;
    }
  }
}

} // namespace minic::reference
