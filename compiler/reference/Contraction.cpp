// SPDX-License-Identifier: Apache-2.0
//
// Sums of products with their bounds. Where operands carry errors, the sums
// that Tolerance.h asks for are matrix products too, of errors and squares.

#include "compiler/reference/Contraction.h"

#include "compiler/reference/DotKernel.h"
#include "compiler/reference/ScalarMeaning.h"
#include "compiler/reference/Tolerance.h"
#include "dialects/graph/Graph.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace minic::reference {

namespace {

/// Rows of result computed at once; bounds the memory of the sums.
constexpr size_t kRowsAtOnce = 512;

/// One matrix of an operand: rows [firstRow, firstRow + height) of a tensor.
struct Operand {
  const RowTensor *tensor;
  int64_t firstRow;
  /// The tensor's rows are the columns of the matrix.
  bool transposed;
  /// The rows of the matrix that take part, or all.
  ArrayRef<int64_t> picked;

  MatrixReader reader(Channel channel, bool squared = false) const;
  Bounded at(int64_t row, int64_t column) const;

private:
  void readRun(Channel channel, int64_t row, int64_t column, int64_t count,
               double *out) const;
};

/// An error is infinite where the operand may have overflowed in memory.
void Operand::readRun(Channel channel, int64_t row, int64_t column,
                      int64_t count, double *out) const {
  tensor->read(channel, firstRow + row, column, count, out);
  if (channel == Channel::Value || !tensor->dtype().isF16()) {
    return;
  }
  std::vector<double> values(count), errors(count);
  tensor->read(Channel::Value, firstRow + row, column, count, values.data());
  tensor->read(Channel::Error, firstRow + row, column, count, errors.data());
  for (int64_t i = 0; i < count; ++i) {
    if (asOperand(tensor->dtype(), values[i], errors[i]).error == kAnything) {
      out[i] = kAnything;
    }
  }
}

MatrixReader Operand::reader(Channel channel, bool squared) const {
  auto read = [*this, channel, squared](int64_t row, int64_t column,
                                        int64_t count, double *out) {
    if (picked.empty()) {
      readRun(channel, row, column, count, out);
    } else if (!transposed) {
      readRun(channel, picked[row], column, count, out);
    } else {
      std::vector<double> whole(tensor->length());
      readRun(channel, row, 0, tensor->length(), whole.data());
      for (int64_t i = 0; i < count; ++i) {
        out[i] = whole[picked[column + i]];
      }
    }
    if (squared) {
      for (int64_t i = 0; i < count; ++i) {
        out[i] *= out[i];
      }
    }
  };
  return {read, transposed};
}

Bounded Operand::at(int64_t row, int64_t column) const {
  if (!picked.empty()) {
    row = picked[row];
  }
  if (transposed) {
    std::swap(row, column);
  }
  double value, error;
  tensor->read(Channel::Value, firstRow + row, column, 1, &value);
  tensor->read(Channel::Error, firstRow + row, column, 1, &error);
  return asOperand(tensor->dtype(), value, error);
}

/// A sum with infinities, NaNs or unbounded errors among its products.
Meaning sumOfSpecials(int64_t i, int64_t j, int64_t k, const Operand &lhs,
                      const Operand &rhs) {
  bool isUnknown = false, hasPositive = false, hasNegative = false;
  const Meaning nan{std::nan(""), 0, 0};
  auto isZero = [](const Bounded &x) { return x.value == 0 && x.error == 0; };
  for (int64_t step = 0; step < k; ++step) {
    Bounded a = lhs.at(i, step), b = rhs.at(step, j);
    if (std::isnan(a.value) || std::isnan(b.value)) {
      return nan;
    }
    if (std::isinf(a.value) || std::isinf(b.value)) {
      if (isZero(a) || isZero(b)) {
        return nan;
      }
      if (std::abs(a.value) <= a.error || std::abs(b.value) <= b.error) {
        isUnknown = true;
        continue;
      }
      bool isNegative = std::signbit(a.value) != std::signbit(b.value);
      (isNegative ? hasNegative : hasPositive) = true;
    } else if (a.error == kAnything || b.error == kAnything) {
      isUnknown = true;
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

/// The part of a contraction that is one matrix product.
class Product {
public:
  Product(int64_t m, int64_t n, int64_t k, Operand lhs, Operand rhs,
          bool isTf32)
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
    if (!lhs.tensor->isExact()) {
      addErrors(multiply(lhs.reader(Channel::Error), b),
                multiply(lhs.reader(Channel::Spread, true),
                         rhs.reader(Channel::Value, true)));
    }
    if (!rhs.tensor->isExact()) {
      addErrors(multiply(a, rhs.reader(Channel::Error)),
                multiply(lhs.reader(Channel::Value, true),
                         rhs.reader(Channel::Spread, true)));
    }
    if (!lhs.tensor->isExact() && !rhs.tensor->isExact()) {
      DotSums both =
          multiply(lhs.reader(Channel::Error), rhs.reader(Channel::Error));
      for (size_t i = 0; i < hard_.size(); ++i) {
        hard_[i] += both.absoluteSums[i];
        common_[i] += both.absoluteSums[i];
      }
    }
  }

  /// Element [i, j] plus `bias` (null for none) and its spread.
  std::pair<Meaning, double> element(int64_t i, int64_t j, const Bounded *bias,
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
    double n = double(k_);
    double independent = common_[at] + std::sqrt(squares_[at]);
    double carried = std::min(hard_[at], independent);
    double spread = std::min(kRoundingSpread * hard_[at], independent);
    if (bias) {
      value += bias->value;
      absolute += std::abs(bias->value);
      carried += bias->error;
      spread += biasSpread;
      n += 1;
    }
    if (absolute >= kLargest && std::isfinite(value)) {
      // Partial sums may overflow in one order and not in another.
      return {{0, kAnything, 0}, kAnything};
    }
    double rounding = reductionError(n, value, absolute);
    Meaning meaning = storedFloat({value, carried, rounding}, dtype);
    spread += rounding + kRoundingSpread * (meaning.rounding - rounding);
    return {meaning, spread};
  }

private:
  int64_t n_, k_;
  Operand lhs_, rhs_;
  DotSums sums_;
  /// Sums over k of |error products|, |sum of error products| and the sum of
  /// squared spreads; zero where operands are exact.
  std::vector<double> hard_, common_, squares_;
};

/// Writes the product of `lhs` and `rhs` to `rows` of `result`.
void evaluateProduct(int64_t n, int64_t k, Operand lhs, Operand rhs,
                     const RowTensor *bias, ArrayRef<int64_t> rows, bool isTf32,
                     RowTensor &result) {
  int64_t m = rows.size();
  Product product(m, n, k, lhs, rhs, isTf32);
  std::vector<double> values(n), errors(n), spreads(n);
  if (bias) {
    bias->read(Channel::Value, 0, 0, n, values.data());
    bias->read(Channel::Error, 0, 0, n, errors.data());
    bias->read(Channel::Spread, 0, 0, n, spreads.data());
  }
  for (int64_t i = 0; i < m; ++i) {
    double *value = result.data(Channel::Value, rows[i]);
    double *error = result.data(Channel::Error, rows[i]);
    double *spread = result.data(Channel::Spread, rows[i]);
    for (int64_t j = 0; j < n; ++j) {
      Bounded added;
      if (bias) {
        added = asOperand(bias->dtype(), values[j], errors[j]);
      }
      auto [meaning, elementSpread] = product.element(
          i, j, bias ? &added : nullptr, spreads[j], result.dtype());
      value[j] = meaning.value;
      error[j] = meaning.carried + meaning.rounding;
      spread[j] = elementSpread;
    }
  }
}

/// Whether the module allows f32 operands to be rounded to tf32.
bool isTf32(Operation *op) {
  auto module = op->getParentOfType<ModuleOp>();
  auto precision =
      module ? module->getAttrOfType<StringAttr>("kernel.float32_precision")
             : StringAttr();
  return precision && precision.getValue() == "tf32" &&
         getElementTypeOrSelf(op->getOperand(0).getType()).isF32();
}

} // namespace

void evaluateContraction(Operation *op, Lookup operand, RowTensor &result) {
  ArrayRef<int64_t> shape = result.type().getShape();
  ArrayRef<int64_t> rows = result.rows();
  if (auto linear = dyn_cast<graph::LinearOp>(op)) {
    const RowTensor &weight = operand(linear.getWeight());
    const RowTensor *bias =
        linear.getBias() ? &operand(linear.getBias()) : nullptr;
    for (; !rows.empty();
         rows = rows.drop_front(std::min(rows.size(), kRowsAtOnce))) {
      ArrayRef<int64_t> some = rows.take_front(kRowsAtOnce);
      evaluateProduct(shape.back(), weight.length(),
                      {&operand(linear.getInput()), 0, false, some},
                      {&weight, 0, true, {}}, bias, some, isTf32(op), result);
    }
    return;
  }
  auto matmul = cast<graph::MatmulOp>(op);
  const RowTensor &lhs = operand(matmul.getLhs());
  const RowTensor &rhs = operand(matmul.getRhs());
  ArrayRef<int64_t> batch = shape.drop_back(2);
  BroadcastIndex lhsBatch(lhs.type().getShape().drop_back(2), batch);
  BroadcastIndex rhsBatch(rhs.type().getShape().drop_back(2), batch);
  int64_t m = shape.end()[-2];
  int64_t lhsHeight = lhs.type().getShape().end()[-2];
  int64_t rhsHeight = rhs.type().getShape().end()[-2];
  int64_t k = matmul.getTransposeLhs() ? lhsHeight : lhs.length();
  while (!rows.empty()) {
    // The rows of one batch, as many as are computed at once.
    int64_t index = rows.front() / m;
    ArrayRef<int64_t> some =
        rows.take_while([&](int64_t row) { return row / m == index; })
            .take_front(kRowsAtOnce);
    SmallVector<int64_t> picked;
    for (int64_t row : some) {
      picked.push_back(row % m);
    }
    evaluateProduct(
        shape.back(), k,
        {&lhs, lhsBatch(index) * lhsHeight, matmul.getTransposeLhs(), picked},
        {&rhs, rhsBatch(index) * rhsHeight, matmul.getTransposeRhs(), {}},
        nullptr, some, isTf32(op), result);
    rows = rows.drop_front(some.size());
  }
}

} // namespace minic::reference
