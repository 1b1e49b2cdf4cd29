// SPDX-License-Identifier: Apache-2.0
//
// NormedProduct: products that may share a fusion with the norm of their rows.

#ifndef MINIC_PASSES_SUPPORT_NORMEDPRODUCT_H
#define MINIC_PASSES_SUPPORT_NORMEDPRODUCT_H

#include "mlir/IR/Operation.h"

namespace minic::kernel {

/// A norm along the last dimension.
bool normsLastDimension(mlir::Operation *op);

/// A product of at most `most` rows and a matrix, such as weights.
bool isProductOfFewRows(mlir::Operation *op, int64_t most);

} // namespace minic::kernel

#endif // MINIC_PASSES_SUPPORT_NORMEDPRODUCT_H
