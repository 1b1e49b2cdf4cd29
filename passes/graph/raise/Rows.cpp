// SPDX-License-Identifier: Apache-2.0
//
// Reductions as statistics of rows.

#include "passes/graph/raise/Rows.h"

#include "passes/graph/raise/Match.h"

using namespace mlir;

namespace minic::graph {

/// The reduction that `value` is, if its dimensions are there as ones.
static ReduceOp keptReduction(Value value, ReduceKind kind) {
  Value reduced = withoutUnitDims(withoutBroadcast(value));
  auto reduction = reduced.getDefiningOp<ReduceOp>();
  if (!reduction || reduction.getKind() != kind || !isFloat(value)) {
    return nullptr;
  }
  SmallVector<int64_t> kept(typeOf(reduction.getInput()).getShape());
  for (int64_t axis : reduction.getAxes()) {
    kept[axis] = 1;
  }
  ArrayRef<int64_t> own = typeOf(withoutBroadcast(value)).getShape();
  return withoutLeadingOnes(own) == withoutLeadingOnes(kept) ? reduction
                                                             : ReduceOp();
}

/// The first of the reduced dimensions, if they are all to the end.
static std::optional<uint64_t> trailingAxis(ReduceOp reduction) {
  int64_t rank = typeOf(reduction.getInput()).getRank();
  ArrayRef<int64_t> axes = reduction.getAxes();
  if (axes.empty() || axes.back() != rank - 1 ||
      axes.front() != rank - int64_t(axes.size())) {
    return std::nullopt;
  }
  return uint64_t(axes.front());
}

/// A sum times 1 / n, or over n, where n is the number of what is summed.
static ReduceOp dividedSum(Value value) {
  Operation *op = value.getDefiningOp();
  if (!isa_and_present<MulOp, DivOp>(op)) {
    return nullptr;
  }
  std::optional<double> number = scalarOf(op->getOperand(1));
  ReduceOp sum = keptReduction(op->getOperand(0), ReduceKind::Sum);
  if (!number || !sum || op->getOperand(0).getType() != value.getType()) {
    return nullptr;
  }
  ArrayRef<int64_t> shape = typeOf(sum.getInput()).getShape();
  int64_t count = 1;
  for (int64_t axis : sum.getAxes()) {
    count *= shape[axis];
  }
  double expected = isa<MulOp>(op) ? 1.0 / double(count) : double(count);
  return isNear(*number, expected, typeOf(value).getElementType()) ? sum
                                                                   : ReduceOp();
}

std::optional<RowMean> rowMeanOf(Value value) {
  ReduceOp reduction = keptReduction(value, ReduceKind::Mean);
  reduction = reduction ? reduction : dividedSum(value);
  std::optional<uint64_t> axis =
      reduction ? trailingAxis(reduction) : std::nullopt;
  return axis ? std::optional(RowMean{reduction.getInput(), *axis})
              : std::nullopt;
}

std::optional<RowReduction> rowReductionOf(Value value, ReduceKind kind) {
  ReduceOp reduction = keptReduction(value, kind);
  if (!reduction || reduction.getAxes().size() != 1) {
    return std::nullopt;
  }
  return RowReduction{reduction.getInput(),
                      uint64_t(reduction.getAxes().front())};
}

} // namespace minic::graph
