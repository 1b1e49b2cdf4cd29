// SPDX-License-Identifier: Apache-2.0
//
// CountFlops: the arithmetic that a model asks for.

#ifndef MINIC_PASSES_SUPPORT_COUNTFLOPS_H
#define MINIC_PASSES_SUPPORT_COUNTFLOPS_H

#include "mlir/IR/Operation.h"

namespace minic {

/// 2MNK for a contraction (a convolution is one over C / groups * R * S), one
/// per result element of a pointwise op, 0 for everything else. Shapes are
/// static.
int64_t countFlops(mlir::Operation *op);

} // namespace minic

#endif // MINIC_PASSES_SUPPORT_COUNTFLOPS_H
