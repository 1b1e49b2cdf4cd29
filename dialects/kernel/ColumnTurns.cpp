// SPDX-License-Identifier: Apache-2.0
//
// Which slices take every second column.

#include "dialects/kernel/ColumnTurns.h"

#include "dialects/graph/Views.h"

using namespace mlir;

namespace minic::kernel {

/// The column that `slice` begins at, if it takes every second one from there,
/// of all rows.
static std::optional<int64_t> getFirstOfTwo(graph::SliceOp slice) {
  auto input = slice.getInput().getType();
  // A view is no op of a fusion.
  if (graph::isView(slice) || !input.hasStaticShape() ||
      input.getShape().back() % 2 != 0) {
    return std::nullopt;
  }
  SmallVector<int64_t> expected(input.getShape());
  expected.back() /= 2;
  int64_t first = slice.getStarts().back();
  bool isEverySecond = first < 2 && slice.getSteps().back() == 2 &&
                       slice.getType().getShape() == ArrayRef(expected);
  return isEverySecond ? std::optional(first) : std::nullopt;
}

std::optional<std::array<graph::SliceOp, 2>>
getColumnTurns(Operation *product) {
  if (!graph::isContraction(product)) {
    return std::nullopt;
  }
  std::array<graph::SliceOp, 2> turns;
  for (Operation *user : product->getUsers()) {
    auto slice = dyn_cast<graph::SliceOp>(user);
    std::optional<int64_t> first =
        slice ? getFirstOfTwo(slice) : std::optional<int64_t>();
    if (!first || turns[size_t(*first)]) {
      return std::nullopt;
    }
    turns[size_t(*first)] = slice;
  }
  return turns[0] && turns[1] ? std::optional(turns) : std::nullopt;
}

} // namespace minic::kernel
