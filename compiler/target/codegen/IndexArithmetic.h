// SPDX-License-Identifier: Apache-2.0
//
// IndexArithmetic: affine expressions as integer arithmetic of a kernel.

#ifndef MINIC_COMPILER_TARGET_CODEGEN_INDEXARITHMETIC_H
#define MINIC_COMPILER_TARGET_CODEGEN_INDEXARITHMETIC_H

#include "compiler/target/codegen/KernelBuilder.h"

#include "mlir/IR/AffineExpr.h"

namespace minic {

/// An i64 and between which numbers it is.
struct BoundedIndex {
  mlir::Value value;
  int64_t least, most;

  bool leaves(int64_t extent) const { return least < 0 || most >= extent; }
};

/// `expr` of dimensions that count from 0 to below `extents`; divisors are
/// positive constants. Quotients round down, also those of negative numbers.
BoundedIndex emitIndex(KernelBuilder &k, mlir::AffineExpr expr,
                       llvm::ArrayRef<mlir::Value> dims,
                       llvm::ArrayRef<int64_t> extents);

} // namespace minic

#endif // MINIC_COMPILER_TARGET_CODEGEN_INDEXARITHMETIC_H
