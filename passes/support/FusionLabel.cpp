// SPDX-License-Identifier: Apache-2.0
//
// Labels for logs, plans and fixtures.

#include "passes/support/FusionLabel.h"

#include "dialects/kernel/Kernel.h"

#include "llvm/ADT/StringExtras.h"

std::string minic::labelOf(mlir::Operation *op) {
  auto fusion = llvm::dyn_cast<kernel::FusionOp>(op);
  if (!fusion) {
    return op->getName().stripDialect().str();
  }
  return llvm::join(
      llvm::map_range(fusion.getBodyOps(),
                      [](mlir::Operation *bodyOp) {
                        return bodyOp->getName().stripDialect().str();
                      }),
      "_");
}
