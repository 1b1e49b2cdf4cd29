// SPDX-License-Identifier: Apache-2.0
//
// castWeights: a model whose weights are wider than asked for (--cast-weights)
// reads them, and what is multiplied with them, in 16 bits.

#ifndef MINIC_COMPILER_IMPORT_CASTWEIGHTS_H
#define MINIC_COMPILER_IMPORT_CASTWEIGHTS_H

#include "mlir/IR/BuiltinOps.h"

namespace minic {

/// On a module: the dtype, "bf16", "f16" or "f32", that its weights were asked
/// to have. Weights of a file that are wider than their constants are rounded;
/// with "f32" those of float64 alone.
inline constexpr llvm::StringLiteral castWeightsAttrName = "graph.cast_weights";

/// Sets the attribute, and in products and convolutions of float32 with a
/// weight both operands become `dtype`, as does the table of a gather: the
/// constant itself, or by a cast. What follows stays float32, and so do sums.
/// With "f32" ops stay as they are.
void castWeights(mlir::ModuleOp module, llvm::StringRef dtype);

} // namespace minic

#endif // MINIC_COMPILER_IMPORT_CASTWEIGHTS_H
