// SPDX-License-Identifier: Apache-2.0
//
// Contractions as matrix products: which rows of which operand.

#include "compiler/reference/Contraction.h"

#include "compiler/reference/SumOfProducts.h"
#include "dialects/graph/Graph.h"

using namespace mlir;

namespace minic::reference {

namespace {

/// Rows of result computed at once; bounds the memory of the sums.
constexpr size_t kRowsAtOnce = 512;

/// One matrix of an operand: rows [firstRow, firstRow + height) of a tensor, or
/// its columns where `transposed`. Of the matrix's rows those `picked` take
/// part, or all.
class MatrixFactor : public Factor {
public:
  MatrixFactor(const RowTensor &tensor, int64_t firstRow, bool transposed,
               ArrayRef<int64_t> picked = {})
      : Factor(tensor, transposed), firstRow_(firstRow), picked_(picked) {}

protected:
  void readRun(Channel channel, int64_t row, int64_t column, int64_t count,
               double *out) const override {
    if (picked_.empty()) {
      readTensor(channel, firstRow_ + row, column, count, out);
    } else if (!transposed_) {
      readTensor(channel, firstRow_ + picked_[row], column, count, out);
    } else {
      std::vector<double> whole(tensor_.length());
      readTensor(channel, firstRow_ + row, 0, tensor_.length(), whole.data());
      for (int64_t i = 0; i < count; ++i) {
        out[i] = whole[picked_[column + i]];
      }
    }
  }

private:
  int64_t firstRow_;
  ArrayRef<int64_t> picked_;
};

/// Writes the product of `lhs` and `rhs` to `rows` of `result`.
void evaluateProduct(int64_t n, int64_t k, const Factor &lhs, const Factor &rhs,
                     const RowTensor *bias, ArrayRef<int64_t> rows, bool isTf32,
                     RowTensor &result) {
  int64_t m = rows.size();
  SumOfProducts product(m, n, k, lhs, rhs, isTf32);
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
          i, j, double(k), bias ? &added : nullptr, spreads[j], result.dtype());
      value[j] = meaning.value;
      error[j] = meaning.carried + meaning.rounding;
      spread[j] = elementSpread;
    }
  }
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
                      MatrixFactor(operand(linear.getInput()), 0, false, some),
                      MatrixFactor(weight, 0, true), bias, some, isTf32(op),
                      result);
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
    evaluateProduct(shape.back(), k,
                    MatrixFactor(lhs, lhsBatch(index) * lhsHeight,
                                 matmul.getTransposeLhs(), picked),
                    MatrixFactor(rhs, rhsBatch(index) * rhsHeight,
                                 matmul.getTransposeRhs()),
                    nullptr, some, isTf32(op), result);
    rows = rows.drop_front(some.size());
  }
}

} // namespace minic::reference
