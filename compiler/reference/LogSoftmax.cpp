// SPDX-License-Identifier: Apache-2.0
//
// log_softmax, with its error in closed form.

#include "compiler/reference/Elements.h"
#include "compiler/reference/OpRecord.h"
#include "compiler/reference/Tolerance.h"
#include "dialects/graph/Graph.h"

#include <algorithm>

using namespace mlir;

namespace minic::reference {

/// log(sum of exp(x)) of a line. Its error: how far each exponential may be
/// off, their sum, and the logarithm, which makes a relative error absolute.
static Element logSumExp(ArrayRef<Element> line) {
  double greatest = -HUGE_VAL;
  for (const Element &x : line) {
    if (x.error == kAnything) {
      return {0, kAnything, kAnything};
    }
    if (std::isnan(x.value)) {
      return {std::nan(""), 0, 0};
    }
    greatest = std::max(greatest, x.value);
  }
  if (std::isinf(greatest)) {
    return {std::nan(""), 0, 0}; // infinity - infinity
  }
  double sum = 0, off = 0;
  for (const Element &x : line) {
    double shifted = x.value - greatest, power = std::exp(shifted);
    double most = std::exp(shifted + x.error);
    double relative = allowance::kExp.relative;
    relative += std::isfinite(shifted) ? kRoundoff * std::abs(shifted) : 0;
    sum += power;
    off += most * (1 + relative) - power;
  }
  off += reductionError(double(line.size()), sum, sum);
  if (!(off < sum / 2)) {
    return {0, kAnything, kAnything};
  }
  double logarithm = std::log(sum), value = greatest + logarithm;
  double error = off / (sum - off) +
                 allowance::kLog.relative * std::abs(logarithm) +
                 allowance::kLog.absolute +
                 kRoundoff * (std::abs(greatest) + std::abs(value));
  return {value, error, error};
}

static void evaluateLogSoftmax(Operation *op, unsigned, Lookup operand,
                               RowTensor &result) {
  auto softmax = cast<graph::LogSoftmaxOp>(op);
  ScatteredReader input(operand(softmax.getInput()));
  ElementWriter out(result);
  int64_t axis = softmax.getAxis();
  bool isLast = axis == result.type().getRank() - 1;
  Lines lines(result.type().getShape(), axis);
  for (int64_t o = 0; o < lines.outer; ++o) {
    for (int64_t i = 0; i < lines.inner; ++i) {
      if (isLast && !out.wants(lines.at(o, 0, i))) {
        continue;
      }
      std::vector<Element> line = readLine(input, lines, o, i);
      Element total = logSumExp(line);
      for (int64_t j = 0; j < lines.extent; ++j) {
        double value = line[j].value - total.value;
        double carried = line[j].error + total.error;
        double rounding =
            std::isfinite(value)
                ? kRoundoff * (2 * std::abs(value) + std::abs(line[j].value))
                : 0;
        out.putComputed(lines.at(o, j, i),
                        std::isfinite(value) || carried == kAnything
                            ? Meaning{value, carried, rounding}
                            : Meaning{value, 0, 0});
      }
    }
  }
}

static void demandOfLogSoftmax(Operation *op, unsigned,
                               const llvm::BitVector &rows,
                               RowsOfOperand rowsOf) {
  auto softmax = cast<graph::LogSoftmaxOp>(op);
  if (int64_t(softmax.getAxis()) ==
      softmax.getInput().getType().getRank() - 1) {
    rowsOf(0) |= rows;
  } else {
    rowsOf(0).set();
  }
}

static double costOfLogSoftmax(Operation *) { return 3; }

void addLogSoftmax(OpRecords &records) {
  addRecord<graph::LogSoftmaxOp>(
      records, {evaluateLogSoftmax, demandOfLogSoftmax, costOfLogSoftmax});
}

} // namespace minic::reference
