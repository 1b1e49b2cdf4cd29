// SPDX-License-Identifier: Apache-2.0
//
// Checks of axes and extents.

#include "dialects/graph/AxisCheck.h"

#include "mlir/IR/Diagnostics.h"

using namespace mlir;

namespace minic::graph {

bool mayAgree(int64_t a, int64_t b) {
  return a == b || ShapedType::isDynamic(a) || ShapedType::isDynamic(b);
}

bool mayAgree(ArrayRef<int64_t> a, ArrayRef<int64_t> b) {
  return a.size() == b.size() &&
         llvm::all_of(llvm::zip_equal(a, b), [](auto pair) {
           return mayAgree(std::get<0>(pair), std::get<1>(pair));
         });
}

LogicalResult checkAxis(std::optional<Location> loc, StringRef op, int64_t axis,
                        RankedTensorType type) {
  if (axis >= 0 && axis < type.getRank()) {
    return success();
  }
  return emitOptionalError(loc, "'graph.", op,
                           "' op expects an axis from 0 to rank - 1 for ", type,
                           ", got ", axis);
}

LogicalResult checkNonEmptyAxis(std::optional<Location> loc, StringRef op,
                                int64_t axis, RankedTensorType type) {
  if (failed(checkAxis(loc, op, axis, type))) {
    return failure();
  }
  if (type.getDimSize(axis) != 0) {
    return success();
  }
  return emitOptionalError(loc, "'graph.", op,
                           "' op expects one element or more along axis ", axis,
                           ", got ", type);
}

} // namespace minic::graph
