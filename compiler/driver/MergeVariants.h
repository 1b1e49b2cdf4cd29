// SPDX-License-Identifier: Apache-2.0
//
// MergeVariants: plans of one model for several targets become one plan.

#ifndef MINIC_COMPILER_DRIVER_MERGEVARIANTS_H
#define MINIC_COMPILER_DRIVER_MERGEVARIANTS_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <vector>

namespace minic {

/// Moves the variants of all `plans` (after codegen, with the same functions)
/// into the first one's functions. Equal constants are shared; other symbols
/// that collide are renamed. Never empty.
mlir::OwningOpRef<mlir::ModuleOp>
mergeVariants(std::vector<mlir::OwningOpRef<mlir::ModuleOp>> plans);

} // namespace minic

#endif // MINIC_COMPILER_DRIVER_MERGEVARIANTS_H
