// SPDX-License-Identifier: Apache-2.0
//
// Vectors get a dimension of 1 before a product, and lose it afterwards.

#include "compiler/import/onnx/Matrices.h"

namespace minic {

std::optional<Matrices> matricesOf(Node &n, const Value &lhs,
                                   const Value &rhs) {
  if (!lhs || !rhs) {
    return std::nullopt;
  }
  if (lhs.rank() == 0 || rhs.rank() == 0) {
    n.fail("a scalar operand");
    return std::nullopt;
  }
  bool isRow = lhs.rank() == 1, isColumn = rhs.rank() == 1;
  return Matrices{isRow ? n.e.reshape(lhs, {1, lhs.dims[0]}) : lhs,
                  isColumn ? n.e.reshape(rhs, {rhs.dims[0], 1}) : rhs, isRow,
                  isColumn};
}

Value withoutAdded(Node &n, const Matrices &operands, const Value &product) {
  if (!product) {
    return {};
  }
  Dims dims = product.dims;
  if (operands.isColumn) {
    dims.pop_back();
  }
  if (operands.isRow) {
    dims.erase(dims.begin() + (product.rank() - 2));
  }
  return n.e.reshape(product, dims);
}

} // namespace minic
