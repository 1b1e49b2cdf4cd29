// SPDX-License-Identifier: Apache-2.0
//
// attention. Its bound is a closed form, not one composed of its stages: with
// weights w and result r, the result moves by sum dw (v - r) / sum w when the
// weights move by dw, so what all weights have in common cancels.

#include "compiler/reference/Elements.h"
#include "compiler/reference/OpRecord.h"
#include "compiler/reference/Storage.h"
#include "compiler/reference/Tolerance.h"
#include "dialects/graph/Graph.h"

#include <algorithm>

using namespace mlir;

namespace minic::reference {

namespace {

constexpr Element kAnyElement{0, kAnything, kAnything};

RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

/// Rows of a [.., rows, length] operand, from `first` on.
std::vector<Element> readRows(const RowTensor &tensor, int64_t first,
                              int64_t rows) {
  ScatteredReader reader(tensor);
  int64_t length = tensor.length();
  std::vector<Element> elements(rows * length);
  for (int64_t i = 0; i < rows * length; ++i) {
    elements[i] = reader.at(first * length + i);
  }
  return elements;
}

class Attention {
public:
  Attention(graph::AttentionOp op, Lookup operand)
      : op_(op), operand_(operand), heads_(typeOf(op.getQuery()).getDimSize(1)),
        queries_(typeOf(op.getQuery()).getDimSize(2)),
        size_(typeOf(op.getQuery()).getDimSize(3)),
        groups_(typeOf(op.getKey()).getDimSize(1)),
        keys_(typeOf(op.getKey()).getDimSize(2)),
        columns_(typeOf(op.getValue()).getDimSize(3)) {}

  /// The row of query `row`, counted over batches, heads and queries; its
  /// logarithm goes to `logSumExp`.
  std::vector<Element> evaluate(int64_t row, Element &logSumExp);

private:
  void moveTo(int64_t batch, int64_t group);
  std::optional<int64_t> keyLength(int64_t batch);
  /// The score of key `s`; none where it is left out, kAnyElement where that
  /// is not certain.
  std::optional<Element> score(int64_t row, int64_t s, int64_t length,
                               ArrayRef<Element> query);
  bool isLeftOut(int64_t t, int64_t s, int64_t length);
  std::vector<Element> weigh(ArrayRef<std::optional<Element>> scores,
                             double greatest, Element &logSumExp);

  graph::AttentionOp op_;
  Lookup operand_;
  int64_t heads_, queries_, size_, groups_, keys_, columns_;
  int64_t current_ = -1;
  std::vector<Element> key_, value_;
};

void Attention::moveTo(int64_t batch, int64_t group) {
  int64_t at = batch * groups_ + group;
  if (at != current_) {
    current_ = at;
    key_ = readRows(operand_(op_.getKey()), at * keys_, keys_);
    value_ = readRows(operand_(op_.getValue()), at * keys_, keys_);
  }
}

std::optional<int64_t> Attention::keyLength(int64_t batch) {
  if (!op_.getKeyLength()) {
    return keys_;
  }
  const RowTensor &tensor = operand_(op_.getKeyLength());
  Element length = ScatteredReader(tensor).at(
      tensor.type().getNumElements() == 1 ? 0 : batch);
  if (length.error > 0) {
    return std::nullopt;
  }
  return int64_t(std::min(std::max(length.value, 0.0), double(keys_)));
}

bool Attention::isLeftOut(int64_t t, int64_t s, int64_t length) {
  bool isLast = op_.getCausal() == graph::Causal::LowerRight;
  bool isCausal = op_.getCausal() != graph::Causal::None;
  int64_t position = isLast ? t + length - queries_ : t;
  if (s >= length || (isCausal && s > position)) {
    return true;
  }
  return op_.getWindow() && std::abs(position - s) >= int64_t(*op_.getWindow());
}

std::optional<Element> Attention::score(int64_t row, int64_t s, int64_t length,
                                        ArrayRef<Element> query) {
  if (isLeftOut(row % queries_, s, length)) {
    return std::nullopt;
  }
  Element addend;
  if (Value mask = op_.getMask()) {
    int64_t scores[] = {typeOf(op_.getQuery()).getDimSize(0), heads_, queries_,
                        keys_};
    BroadcastIndex index(typeOf(mask).getShape(), scores);
    Element element =
        ScatteredReader(operand_(mask)).at(index(row * keys_ + s));
    if (typeOf(mask).getElementType().isInteger(1)) {
      if (element.error > 0) {
        return kAnyElement;
      }
      if (element.value == 0) {
        return std::nullopt;
      }
    } else {
      addend = element;
    }
  }
  double sum = 0, magnitude = 0, carried = 0;
  for (int64_t d = 0; d < size_; ++d) {
    const Element &q = query[d], &k = key_[s * size_ + d];
    sum += q.value * k.value;
    magnitude += std::abs(q.value * k.value);
    carried += std::abs(q.value) * k.error + std::abs(k.value) * q.error +
               q.error * k.error;
  }
  double scale = op_.getScoreScale(), value = scale * sum;
  double error = std::abs(scale) *
                     (reductionError(double(size_), sum, magnitude) + carried) +
                 2 * kRoundoff * std::abs(value);
  if (op_.getSoftCap()) {
    double cap = op_.getSoftCap()->convertToDouble();
    value = cap * std::tanh(value / cap);
    error = std::min(error, 2 * cap) +
            (allowance::kTanh.relative + 4 * kRoundoff) * std::abs(value);
  }
  value += addend.value;
  error += addend.error + (op_.getMask() ? kRoundoff * std::abs(value) : 0);
  if (addend.error == kAnything || carried == kAnything || std::isnan(error)) {
    return std::isnan(value) && addend.error == 0 && carried == 0
               ? Element{std::nan(""), 0, 0}
               : kAnyElement;
  }
  return Element{value, std::isfinite(value) ? error : 0, 0};
}

/// Weights exp(score - greatest) with their errors, and the logarithm of their
/// sum; empty where nothing is certain.
std::vector<Element> Attention::weigh(ArrayRef<std::optional<Element>> scores,
                                      double greatest, Element &logSumExp) {
  std::vector<Element> weights(scores.size());
  double sum = 0, off = 0;
  for (auto [weight, score] : llvm::zip_equal(weights, scores)) {
    if (!score) {
      continue;
    }
    double shifted = score->value - greatest;
    double relative = allowance::kExp.relative;
    relative += std::isfinite(shifted) ? kRoundoff * std::abs(shifted) : 0;
    weight.value = std::exp(shifted);
    weight.error =
        std::exp(shifted + score->error) * (1 + relative) - weight.value;
    sum += weight.value;
    off += weight.error;
  }
  if (!(off < sum / 2)) {
    logSumExp = kAnyElement;
    return {};
  }
  double n = double(scores.size()), logarithm = std::log(sum);
  double total = (off + reductionError(n, sum, sum)) / (sum - off);
  logSumExp.value = greatest + logarithm;
  logSumExp.error =
      total + allowance::kLog.relative * std::abs(logarithm) +
      allowance::kLog.absolute +
      kRoundoff * (std::abs(greatest) + 2 * std::abs(logSumExp.value));
  return weights;
}

std::vector<Element> Attention::evaluate(int64_t row, Element &logSumExp) {
  int64_t batch = row / (heads_ * queries_);
  int64_t head = row / queries_ % heads_;
  moveTo(batch, head / (heads_ / groups_));
  std::optional<int64_t> length = keyLength(batch);
  auto all = [&](Element element) {
    logSumExp = element;
    return std::vector<Element>(columns_, element);
  };
  if (!length) {
    return all(kAnyElement);
  }
  std::vector<Element> query = readRows(operand_(op_.getQuery()), row, 1);
  std::vector<std::optional<Element>> scores(keys_);
  double greatest = -HUGE_VAL;
  bool hasNan = false;
  for (int64_t s = 0; s < keys_; ++s) {
    scores[s] = score(row, s, *length, query);
    if (!scores[s]) {
      continue;
    }
    if (scores[s]->error == kAnything) {
      return all(kAnyElement);
    }
    hasNan |= std::isnan(scores[s]->value);
    greatest = std::max(greatest, scores[s]->value);
  }
  if (hasNan || greatest == HUGE_VAL) {
    return all({std::nan(""), 0, 0});
  }
  if (greatest == -HUGE_VAL) {
    logSumExp = {-HUGE_VAL, 0, 0};
    return std::vector<Element>(columns_, Element());
  }
  std::vector<Element> weights = weigh(scores, greatest, logSumExp);
  if (weights.empty()) {
    return all(kAnyElement);
  }
  double sum = 0, off = 0, n = double(keys_);
  for (const Element &weight : weights) {
    sum += weight.value;
    off += weight.error;
  }
  // A weight is rounded to the dtype of the values, before or after it is
  // divided by the sum: what is common is a relative error of the result.
  Type dtype = typeOf(op_.getValue()).getElementType();
  double rounding = dtype.isF32() ? 0 : getFloatFormat(dtype).roundoff();
  std::vector<Element> results(columns_);
  for (int64_t e = 0; e < columns_; ++e) {
    double product = 0, magnitude = 0, carried = 0;
    for (int64_t s = 0; s < keys_; ++s) {
      if (scores[s]) {
        const Element &v = value_[s * columns_ + e];
        product += weights[s].value * v.value;
        magnitude += weights[s].value * std::abs(v.value);
        carried += (weights[s].value + weights[s].error) * v.error;
      }
    }
    double value = product / sum, moved = 0, squares = 0;
    if (!std::isfinite(value)) {
      results[e] = carried > 0 || off > 0 ? kAnyElement : Element{value, 0, 0};
      continue;
    }
    for (int64_t s = 0; s < keys_; ++s) {
      if (scores[s]) {
        double away = std::abs(value_[s * columns_ + e].value - value);
        moved += weights[s].error * away;
        squares += weights[s].value * weights[s].value * away * away;
      }
    }
    double added =
        reductionError(n, product, magnitude) / sum +
        (reductionError(n, sum, sum) / sum + 4 * kRoundoff) * std::abs(value);
    results[e].value = value;
    results[e].error = (moved + carried) / (sum - off) + added +
                       rounding * std::abs(value) +
                       rounding * kRoundingSpread * std::sqrt(squares) / sum;
  }
  return results;
}

void evaluateAttention(Operation *op, unsigned number, Lookup operand,
                       RowTensor &result) {
  auto attention = cast<graph::AttentionOp>(op);
  Attention evaluation(attention, operand);
  ElementWriter out(result);
  int64_t length = result.length();
  for (int64_t row : result.rows()) {
    for (int64_t t = 0; number == 1 && t < length; ++t) {
      Element logSumExp;
      evaluation.evaluate(row * length + t, logSumExp);
      out.putComputed(row * length + t, {logSumExp.value, logSumExp.error, 0});
    }
    if (number == 0) {
      Element logSumExp;
      auto elements = evaluation.evaluate(row, logSumExp);
      for (auto [column, element] : llvm::enumerate(elements)) {
        out.putComputed(row * length + int64_t(column),
                        {element.value, element.error, 0});
      }
    }
  }
}

/// All of key and value; of the query the rows of the result.
void demandOfAttention(Operation *op, unsigned number,
                       const llvm::BitVector &rows, RowsOfOperand rowsOf) {
  for (unsigned i = 1; i < op->getNumOperands(); ++i) {
    rowsOf(i).set();
  }
  if (number == 0) {
    rowsOf(0) |= rows;
  } else {
    rowsOf(0).set();
  }
}

double costOfAttention(Operation *op) {
  auto attention = cast<graph::AttentionOp>(op);
  auto key = typeOf(attention.getKey()), value = typeOf(attention.getValue());
  double columns = std::max<double>(1, double(value.getDimSize(3)));
  return double(key.getDimSize(2)) * (1 + double(key.getDimSize(3)) / columns) /
         4;
}

} // namespace

void addAttention(OpRecords &records) {
  addRecord<graph::AttentionOp>(
      records, {evaluateAttention, demandOfAttention, costOfAttention});
}

} // namespace minic::reference
