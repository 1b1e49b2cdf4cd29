// SPDX-License-Identifier: Apache-2.0
//
// Labels for logs, plans and fixtures.

#include "passes/support/FusionLabel.h"

#include "dialects/graph/KernelOp.h"
#include "dialects/kernel/Kernel.h"

#include "llvm/ADT/StringExtras.h"

/// What people call `op`: a kernel of theirs by its own name.
static std::string nameOf(mlir::Operation *op) {
  auto kernel = llvm::dyn_cast<minic::graph::KernelOp>(op);
  return kernel ? kernel.getTitle().str() : op->getName().stripDialect().str();
}

std::string minic::labelOf(mlir::Operation *op) {
  auto fusion = llvm::dyn_cast<kernel::FusionOp>(op);
  if (!fusion) {
    return nameOf(op);
  }
  return llvm::join(llvm::map_range(fusion.getBodyOps(), nameOf), "_");
}
