// SPDX-License-Identifier: Apache-2.0
//
// rotary: two products and a sum per element.

#include "compiler/reference/Elements.h"
#include "compiler/reference/OpRecord.h"
#include "compiler/reference/Tolerance.h"
#include "dialects/graph/Graph.h"

using namespace mlir;

namespace minic::reference {

/// a * x + b * y.
static Meaning sumOfTwo(const Element &a, const Element &x, const Element &b,
                        const Element &y) {
  for (const Element *element : {&a, &x, &b, &y}) {
    if (element->error == kAnything) {
      return {0, kAnything, 0};
    }
  }
  double first = a.value * x.value, second = b.value * y.value;
  double carried = std::abs(a.value) * x.error + std::abs(x.value) * a.error +
                   a.error * x.error + std::abs(b.value) * y.error +
                   std::abs(y.value) * b.error + b.error * y.error;
  double value = first + second;
  double rounding = kRoundoff * (std::abs(first) + std::abs(second)) +
                    kRoundoff * std::abs(value) + 2 * kSmallestNormal;
  return {value, carried, std::isfinite(value) ? rounding : 0};
}

static void evaluateRotary(Operation *op, unsigned, Lookup operand,
                           RowTensor &result) {
  auto rotary = cast<graph::RotaryOp>(op);
  ScatteredReader input(operand(rotary.getInput()));
  const RowTensor &cosines = operand(rotary.getCos());
  ScatteredReader cos(cosines), sin(operand(rotary.getSin()));
  BroadcastIndex angleRow = broadcastRows(cosines.type(), result.type());
  ElementWriter out(result);
  int64_t pairs = cosines.length(), length = result.length();
  bool isInterleaved = rotary.getInterleaved();
  for (int64_t row : result.rows()) {
    int64_t begin = row * length, angles = angleRow(row) * pairs;
    for (int64_t p = 0; p < pairs; ++p) {
      int64_t first = begin + (isInterleaved ? 2 * p : p);
      int64_t second = first + (isInterleaved ? 1 : pairs);
      Element a = input.at(first), b = input.at(second);
      Element c = cos.at(angles + p), s = sin.at(angles + p), minus = s;
      minus.value = -s.value;
      out.putComputed(first, sumOfTwo(a, c, b, minus));
      out.putComputed(second, sumOfTwo(b, c, a, s));
    }
    for (int64_t column = 2 * pairs; column < length; ++column) {
      out.put(begin + column, input.at(begin + column));
    }
  }
}

static void demandOfRotary(Operation *, unsigned, const llvm::BitVector &rows,
                           RowsOfOperand rowsOf) {
  rowsOf(0) |= rows;
  rowsOf(1).set();
  rowsOf(2).set();
}

void addRotary(OpRecords &records) {
  addRecord<graph::RotaryOp>(records, {evaluateRotary, demandOfRotary});
}

} // namespace minic::reference
