// SPDX-License-Identifier: Apache-2.0
//
// layer_norm, rms_norm and group_norm: blocks of successive elements, scaled by
// their statistics. Bounds are closed forms: a two-pass mean and variance in
// float32, and the operands' errors to first order.

#include "compiler/reference/Elements.h"
#include "compiler/reference/OpRecord.h"
#include "compiler/reference/Tolerance.h"
#include "dialects/graph/Graph.h"

#include <numeric>

using namespace mlir;

namespace minic::reference {

namespace {

/// A block's elements (x - mean) / sqrt(mean of squares + epsilon), `error` as
/// far as a float32 kernel may be off.
std::vector<Element> normalized(ArrayRef<Element> x, bool isCentred,
                                double epsilon) {
  double n = double(x.size()), sum = 0, magnitude = 0, errors = 0;
  for (const Element &element : x) {
    sum += element.value;
    magnitude += std::abs(element.value);
    errors += element.error;
  }
  double mean = isCentred ? sum / n : 0;
  double meanRounding =
      isCentred ? statisticError(n) * magnitude / n + kRoundoff * std::abs(mean)
                : 0;
  double meanCarried = isCentred ? errors / n : 0;
  double squares = 0, mixed = 0, squaredErrors = 0;
  for (const Element &element : x) {
    double d = element.value - mean, e = element.error + meanCarried;
    squares += d * d;
    mixed += std::abs(d) * e;
    squaredErrors += e * e;
  }
  double power = squares / n + epsilon;
  // Differences from a mean that is off by e have a mean square off by e^2.
  double powerError = (statisticError(n) + 5 * kRoundoff) * squares / n +
                      kRoundoff * power + meanRounding * meanRounding +
                      (2 * mixed + squaredErrors) / n;
  double relative = powerError / power;
  std::vector<Element> result(x.size());
  for (auto [to, element] : llvm::zip_equal(result, x)) {
    double d = element.value - mean;
    to.value = d / std::sqrt(power);
    if ((isCentred && std::isnan(sum)) || std::isnan(squares)) {
      to = {std::nan(""), errors == kAnything ? kAnything : 0, 0};
      continue;
    }
    // Infinities make the mean square infinite in float32, too.
    if (std::isinf(magnitude) && errors != kAnything) {
      to = {to.value, 0, 0};
      continue;
    }
    // With nothing but zeros and no epsilon 0 / 0 is certain; beside it not.
    bool isZero = power == 0 && powerError == 0 && meanRounding == 0;
    if (!(relative < 0.5) && !isZero) {
      to = {0, kAnything, kAnything};
      continue;
    }
    double offDifference =
        element.error + meanCarried + meanRounding + kRoundoff * std::abs(d);
    double offScale =
        relative / 2 / (1 - relative) + allowance::kRsqrt.relative + kRoundoff;
    to.error = isZero ? 0
                      : offDifference / std::sqrt(power * (1 - relative)) +
                            std::abs(to.value) * offScale;
  }
  return result;
}

/// Where an op's blocks are, and which parameter scales an element.
struct Blocks {
  int64_t count = 0, length = 0;
  bool isCentred = true;
  double epsilon = 0;
  Value scale, bias;
  /// The parameter's index for an element of a block.
  std::function<int64_t(int64_t block, int64_t at)> parameter;
};

Blocks blocksFrom(RankedTensorType type, int64_t axis) {
  Blocks blocks;
  blocks.length = llvm::product_of(type.getShape().drop_front(axis));
  blocks.count = llvm::product_of(type.getShape().take_front(axis));
  blocks.parameter = [](int64_t, int64_t at) { return at; };
  return blocks;
}

Blocks blocksOf(Operation *op) {
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  if (auto norm = dyn_cast<graph::GroupNormOp>(op)) {
    Blocks blocks = blocksFrom(type, 2);
    int64_t groups = norm.getGroups(), perGroup = type.getDimSize(1) / groups;
    int64_t each = blocks.length;
    blocks.count /= perGroup;
    blocks.length *= perGroup;
    blocks.parameter = [=](int64_t block, int64_t at) {
      return block % groups * perGroup + at / each;
    };
    blocks.epsilon = norm.getEpsilon().convertToDouble();
    blocks.scale = norm.getScale();
    blocks.bias = norm.getBias();
    return blocks;
  }
  if (auto norm = dyn_cast<graph::RmsNormOp>(op)) {
    Blocks blocks = blocksFrom(type, norm.getAxis());
    blocks.isCentred = false;
    blocks.epsilon = norm.getEpsilon().convertToDouble();
    blocks.scale = norm.getScale();
    return blocks;
  }
  auto norm = cast<graph::LayerNormOp>(op);
  Blocks blocks = blocksFrom(type, norm.getAxis());
  blocks.epsilon = norm.getEpsilon().convertToDouble();
  blocks.scale = norm.getScale();
  blocks.bias = norm.getBias();
  return blocks;
}

/// y * scale + bias, with their errors.
Meaning scaled(const Element &y, const Element &scale, const Element &bias) {
  double product = y.value * scale.value;
  double carried = std::abs(scale.value) * y.error +
                   std::abs(y.value) * scale.error + y.error * scale.error +
                   bias.error;
  double value = product + bias.value;
  double rounding = kRoundoff * (2 * std::abs(product) + std::abs(value));
  if (y.error == kAnything || scale.error == kAnything ||
      bias.error == kAnything) {
    return {0, kAnything, 0};
  }
  return {value, carried, std::isfinite(value) ? rounding : 0};
}

/// Calls `visit` for each block that has rows among `rows`.
template <typename Visit>
void forEachBlock(const Blocks &blocks, int64_t rowLength,
                  const llvm::BitVector &rows, Visit visit) {
  for (int64_t block = 0; block < blocks.count; ++block) {
    int64_t begin = block * blocks.length / rowLength;
    int64_t end = llvm::divideCeil((block + 1) * blocks.length, rowLength);
    if (rows.find_first_in(begin, end) >= 0) {
      visit(block, begin, end);
    }
  }
}

void evaluateNorm(Operation *op, unsigned, Lookup operand, RowTensor &result) {
  Blocks blocks = blocksOf(op);
  ScatteredReader input(operand(op->getOperand(0)));
  ElementWriter out(result);
  llvm::BitVector rows(rowCount(result.type()));
  for (int64_t row : result.rows()) {
    rows.set(row);
  }
  auto read = [&](Value parameter, int64_t at, double otherwise) {
    return parameter ? ScatteredReader(operand(parameter)).at(at)
                     : Element{otherwise, 0, 0};
  };
  forEachBlock(blocks, result.length(), rows,
               [&](int64_t block, int64_t, int64_t) {
                 std::vector<Element> x(blocks.length);
                 for (int64_t i = 0; i < blocks.length; ++i) {
                   x[i] = input.at(block * blocks.length + i);
                 }
                 auto y = normalized(x, blocks.isCentred, blocks.epsilon);
                 for (int64_t i = 0; i < blocks.length; ++i) {
                   int64_t at = blocks.parameter(block, i);
                   out.putComputed(block * blocks.length + i,
                                   scaled(y[i], read(blocks.scale, at, 1),
                                          read(blocks.bias, at, 0)));
                 }
               });
}

void demandOfNorm(Operation *op, unsigned, const llvm::BitVector &rows,
                  RowsOfOperand rowsOf) {
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  forEachBlock(
      blocksOf(op), rowLength(type), rows,
      [&](int64_t, int64_t begin, int64_t end) { rowsOf(0).set(begin, end); });
  for (unsigned i = 1; i < op->getNumOperands(); ++i) {
    rowsOf(i).set();
  }
}

double costOfNorm(Operation *) { return 3; }

} // namespace

void addNorms(OpRecords &records) {
  addRecord<graph::LayerNormOp>(records,
                                {evaluateNorm, demandOfNorm, costOfNorm});
  addRecord<graph::RmsNormOp>(records,
                              {evaluateNorm, demandOfNorm, costOfNorm});
  addRecord<graph::GroupNormOp>(records,
                                {evaluateNorm, demandOfNorm, costOfNorm});
}

} // namespace minic::reference
