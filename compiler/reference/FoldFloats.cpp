// SPDX-License-Identifier: Apache-2.0
//
// A float32 operation rounds its exact result once. So does the reference: a
// product of two floats is exact in double, and a sum rounded to double first
// rounds to the same float (Figueroa, When is double rounding innocuous?,
// 1995).

#include "compiler/reference/FoldFloats.h"

#include "compiler/reference/RowTensor.h"
#include "dialects/graph/Graph.h"

#include <cmath>
#include <cstring>

using namespace mlir;

namespace minic::reference {

namespace {

/// A dense f32 tensor read at the elements of a larger one.
class Operand {
public:
  Operand(RankedTensorType type, ArrayRef<char> bytes, RankedTensorType space)
      : bytes_(bytes), rows_(broadcastRows(type, space)),
        length_(rowLength(type)), step_(length_ == 1 ? 0 : 1) {}

  void enterRow(int64_t row) { first_ = rows_(row) * length_; }
  float at(int64_t column) const {
    float element;
    std::memcpy(&element, bytes_.data() + 4 * (first_ + column * step_), 4);
    return element;
  }

private:
  ArrayRef<char> bytes_;
  BroadcastIndex rows_;
  int64_t length_, step_, first_ = 0;
};

template <typename Function>
std::optional<std::vector<char>> foldAll(RankedTensorType type, Operand lhs,
                                         Operand rhs, Function function) {
  std::vector<char> result(type.getNumElements() * 4);
  char *out = result.data();
  int64_t length = rowLength(type);
  for (int64_t row = 0, rows = rowCount(type); row < rows; ++row) {
    lhs.enterRow(row);
    rhs.enterRow(row);
    for (int64_t column = 0; column < length; ++column, out += 4) {
      float element = function(lhs.at(column), rhs.at(column));
      if (!std::isfinite(element)) {
        return std::nullopt;
      }
      std::memcpy(out, &element, 4);
    }
  }
  return result;
}

} // namespace

std::optional<std::vector<char>> foldFloats(Operation *op,
                                            ArrayRef<ArrayRef<char>> operands) {
  if (!isa<graph::AddOp, graph::SubOp, graph::MulOp>(op)) {
    return std::nullopt;
  }
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  if (!type.getElementType().isF32() || type.getNumElements() == 0) {
    return std::nullopt;
  }
  auto operand = [&](unsigned i) {
    return Operand(cast<RankedTensorType>(op->getOperand(i).getType()),
                   operands[i], type);
  };
  Operand lhs = operand(0), rhs = operand(1);
  if (isa<graph::AddOp>(op)) {
    return foldAll(type, lhs, rhs, [](float x, float y) { return x + y; });
  }
  if (isa<graph::SubOp>(op)) {
    return foldAll(type, lhs, rhs, [](float x, float y) { return x - y; });
  }
  return foldAll(type, lhs, rhs, [](float x, float y) { return x * y; });
}

} // namespace minic::reference
