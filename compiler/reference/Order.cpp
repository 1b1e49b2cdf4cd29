// SPDX-License-Identifier: Apache-2.0
//
// arg_reduce, top_k and cumsum. Where elements are closer than their errors,
// any of their indices is right.

#include "compiler/reference/Elements.h"
#include "compiler/reference/OpRecord.h"
#include "compiler/reference/PointwiseMeanings.h"
#include "compiler/reference/Storage.h"
#include "compiler/reference/Tolerance.h"

#include <algorithm>
#include <numeric>

using namespace mlir;

namespace minic::reference {

namespace {

bool isLastAxis(Value input, int64_t axis) {
  return axis == cast<RankedTensorType>(input.getType()).getRank() - 1;
}

/// A value that sorts ascending: the extreme ones, and NaN, first.
double orderKey(double value, bool isMax) {
  return std::isnan(value) ? -HUGE_VAL : isMax ? -value : value;
}

/// Indices of `line`, best first, and the key's error at each rank: ranks of
/// all values moved down, or up, by their errors bound it.
struct Ranking {
  Ranking(ArrayRef<Element> line, bool isMax) : order(line.size()) {
    std::iota(order.begin(), order.end(), int64_t(0));
    auto before = [&](int64_t a, int64_t b) {
      bool aIsNan = std::isnan(line[a].value),
           bIsNan = std::isnan(line[b].value);
      double x = orderKey(line[a].value, isMax);
      double y = orderKey(line[b].value, isMax);
      return std::tuple(!aIsNan, x, a) < std::tuple(!bIsNan, y, b);
    };
    llvm::sort(order, before);
    isExact = llvm::all_of(line, [](auto &x) { return x.error == 0; });
    for (const Element &element : line) {
      isUnknown |= element.error == kAnything;
      double key = orderKey(element.value, isMax);
      low.push_back(key - element.error);
      high.push_back(key + element.error);
    }
    lowest = low;
    highest = high;
    llvm::sort(lowest);
    llvm::sort(highest);
  }

  /// How far the value at `rank` may be off.
  double valueError(int64_t rank, double key) const {
    if (isExact || isUnknown || std::isinf(key)) {
      bool isSame = lowest[rank] == highest[rank] && !isUnknown;
      return isSame ? 0 : kAnything;
    }
    return std::max(key - lowest[rank], highest[rank] - key);
  }

  /// How far the index at `rank` may be off: any element may be there whose
  /// values meet those that the rank may have.
  double indexError(int64_t rank) const {
    if (isExact) {
      return 0;
    }
    int64_t furthest = 0, index = order[rank];
    for (int64_t j = 0; j < int64_t(low.size()); ++j) {
      if (isUnknown || (low[j] <= highest[rank] && high[j] >= lowest[rank])) {
        furthest = std::max(furthest, std::abs(j - index));
      }
    }
    return double(furthest);
  }

  std::vector<int64_t> order;
  std::vector<double> low, high, lowest, highest;
  bool isExact = false, isUnknown = false;
};

void evaluateArgReduce(Operation *op, unsigned, Lookup operand,
                       RowTensor &result) {
  auto reduce = cast<graph::ArgReduceOp>(op);
  const RowTensor &tensor = operand(reduce.getInput());
  ScatteredReader input(tensor);
  ElementWriter out(result);
  Lines lines(tensor.type().getShape(), reduce.getAxis());
  for (int64_t o = 0; o < lines.outer; ++o) {
    for (int64_t i = 0; i < lines.inner; ++i) {
      int64_t at = o * lines.inner + i;
      if (!out.wants(at)) {
        continue;
      }
      Ranking ranking(readLine(input, lines, o, i),
                      reduce.getExtreme() == graph::Extreme::Max);
      double error = ranking.indexError(0);
      out.put(at, {double(ranking.order[0]), error, error});
    }
  }
}

void demandOfArgReduce(Operation *op, unsigned, const llvm::BitVector &rows,
                       RowsOfOperand rowsOf) {
  auto reduce = cast<graph::ArgReduceOp>(op);
  llvm::BitVector &needed = rowsOf(0);
  if (!isLastAxis(reduce.getInput(), reduce.getAxis())) {
    needed.set();
    return;
  }
  // With keep_dims a row of the result is one element.
  int64_t length =
      rowLength(cast<RankedTensorType>(op->getResult(0).getType()));
  for (unsigned row : rows.set_bits()) {
    needed.set(row * length, (row + 1) * length);
  }
}

void evaluateTopK(Operation *op, unsigned number, Lookup operand,
                  RowTensor &result) {
  auto topK = cast<graph::TopKOp>(op);
  const RowTensor &tensor = operand(topK.getInput());
  ScatteredReader input(tensor);
  ElementWriter out(result);
  bool isMax = topK.getExtreme() == graph::Extreme::Max;
  Lines lines(tensor.type().getShape(), topK.getAxis());
  Lines to(result.type().getShape(), topK.getAxis());
  for (int64_t o = 0; o < lines.outer; ++o) {
    for (int64_t i = 0; i < lines.inner; ++i) {
      if (isLastAxis(topK.getInput(), topK.getAxis()) &&
          !out.wants(to.at(o, 0, i))) {
        continue;
      }
      std::vector<Element> line = readLine(input, lines, o, i);
      Ranking ranking(line, isMax);
      for (int64_t rank = 0; rank < to.extent; ++rank) {
        double value = line[ranking.order[rank]].value;
        double error = number == 1
                           ? ranking.indexError(rank)
                           : ranking.valueError(rank, orderKey(value, isMax));
        out.put(
            to.at(o, rank, i),
            {number == 1 ? double(ranking.order[rank]) : value, error, error});
      }
    }
  }
}

/// Rows of the result are lines along the last axis, and so are the input's.
template <typename Op>
void demandOfLines(Operation *op, unsigned, const llvm::BitVector &rows,
                   RowsOfOperand rowsOf) {
  auto along = cast<Op>(op);
  if (isLastAxis(along.getInput(), along.getAxis())) {
    rowsOf(0) |= rows;
  } else {
    rowsOf(0).set();
  }
}

void evaluateCumsum(Operation *op, unsigned, Lookup operand,
                    RowTensor &result) {
  auto cumsum = cast<graph::CumsumOp>(op);
  ScatteredReader input(operand(cumsum.getInput()));
  ElementWriter out(result);
  Type dtype = result.dtype();
  Lines lines(result.type().getShape(), cumsum.getAxis());
  bool isFloat = isa<FloatType>(dtype);
  for (int64_t o = 0; o < lines.outer; ++o) {
    for (int64_t i = 0; i < lines.inner; ++i) {
      if (isLastAxis(cumsum.getInput(), cumsum.getAxis()) &&
          !out.wants(lines.at(o, 0, i))) {
        continue;
      }
      double sum = 0, magnitude = 0, carried = 0, count = 0;
      uint64_t whole = 0;
      for (int64_t step = 0; step < lines.extent; ++step) {
        int64_t j = cumsum.getReverse() ? lines.extent - 1 - step : step;
        int64_t at = lines.at(o, j, i);
        auto put = [&] {
          double value = double(wrapToDtype(int64_t(whole), dtype));
          if (isFloat) {
            // NaN and infinities of the sum are certain.
            double error =
                std::isfinite(sum) ? reductionError(count, sum, magnitude) : 0;
            out.putComputed(at, {sum, carried, error});
          } else {
            double error = carried > 0 ? kAnything : integerError(value);
            out.put(at, {value, error, error});
          }
        };
        if (cumsum.getExclusive()) {
          put();
        }
        Element x = input.at(at);
        sum += x.value;
        magnitude += std::abs(x.value);
        carried += x.error;
        whole += uint64_t(isFloat ? 0 : toInteger(x.value));
        ++count;
        if (!cumsum.getExclusive()) {
          put();
        }
      }
    }
  }
}

double extentOfAxis(Operation *op) {
  auto axis = op->getAttrOfType<IntegerAttr>("axis").getInt();
  auto type = cast<RankedTensorType>(op->getOperand(0).getType());
  return double(type.getDimSize(axis));
}

} // namespace

void addOrder(OpRecords &records) {
  addRecord<graph::ArgReduceOp>(
      records, {evaluateArgReduce, demandOfArgReduce, extentOfAxis});
  addRecord<graph::TopKOp>(
      records, {evaluateTopK, demandOfLines<graph::TopKOp>, extentOfAxis});
  addRecord<graph::CumsumOp>(records,
                             {evaluateCumsum, demandOfLines<graph::CumsumOp>});
}

} // namespace minic::reference
