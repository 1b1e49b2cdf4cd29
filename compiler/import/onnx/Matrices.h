// SPDX-License-Identifier: Apache-2.0
//
// Matrices: the operands of a product by NumPy's rule: a vector is a row on the
// left and a column on the right.

#ifndef MINIC_COMPILER_IMPORT_ONNX_MATRICES_H
#define MINIC_COMPILER_IMPORT_ONNX_MATRICES_H

#include "compiler/import/onnx/Node.h"

namespace minic {

/// [..., M, K] and [..., K, N].
struct Matrices {
  Value lhs, rhs;
  /// Whether the operand was a vector.
  bool isRow = false, isColumn = false;
};

/// Nothing where an operand is a scalar, and the node fails, or where it could
/// not be made.
std::optional<Matrices> matricesOf(Node &n, const Value &lhs, const Value &rhs);

/// `product`, [..., M, N], without the dimensions that vectors got.
Value withoutAdded(Node &n, const Matrices &operands, const Value &product);

} // namespace minic

#endif // MINIC_COMPILER_IMPORT_ONNX_MATRICES_H
