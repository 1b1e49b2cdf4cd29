// SPDX-License-Identifier: Apache-2.0
//
// FoldFloats: sums, differences and products of f32 constants without bounds,
// for weights of many megabytes.

#ifndef MINIC_COMPILER_REFERENCE_FOLDFLOATS_H
#define MINIC_COMPILER_REFERENCE_FOLDFLOATS_H

#include "mlir/IR/Operation.h"

#include <optional>
#include <vector>

namespace minic::reference {

/// The bytes of the only result of `op`, an add, sub or mul of f32 tensors
/// whose bytes are `operands`: what the reference's double, rounded to f32, is.
/// None for other ops, and where a result overflows.
std::optional<std::vector<char>>
foldFloats(mlir::Operation *op, llvm::ArrayRef<llvm::ArrayRef<char>> operands);

} // namespace minic::reference

#endif // MINIC_COMPILER_REFERENCE_FOLDFLOATS_H
