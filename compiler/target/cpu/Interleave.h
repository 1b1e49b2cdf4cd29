// SPDX-License-Identifier: Apache-2.0
//
// Interleave: vectors transposed in registers, by lanes that alternate.

#ifndef MINIC_COMPILER_TARGET_CPU_INTERLEAVE_H
#define MINIC_COMPILER_TARGET_CPU_INTERLEAVE_H

#include "compiler/target/codegen/KernelBuilder.h"

namespace minic::cpu {

/// Lanes of `a` and `b` alternating, of their low or high halves: as many lanes
/// as each has.
mlir::Value interleaveHalf(KernelBuilder &k, mlir::Value a, mlir::Value b,
                           bool high);

/// Lanes of all `vectors` alternating: the first lanes of each, then the second
/// ones. `vectors` are a power of two of one type.
mlir::Value interleaveAll(KernelBuilder &k,
                          llvm::ArrayRef<mlir::Value> vectors);

/// `rows`, a power of two of them, as columns: as many vectors, which hold the
/// elements [column][row] one after another.
llvm::SmallVector<mlir::Value> transpose(KernelBuilder &k,
                                         llvm::SmallVector<mlir::Value> rows);

} // namespace minic::cpu

#endif // MINIC_COMPILER_TARGET_CPU_INTERLEAVE_H
