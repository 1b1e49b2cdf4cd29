// SPDX-License-Identifier: Apache-2.0
//
// Products come before norms that feed them.

#include "dialects/kernel/MainAnchor.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace minic::kernel {

static bool isProduct(Operation *op) {
  return graph::isContraction(op) || graph::isConvolution(op);
}

Operation *getMainAnchor(FusionOp fusion) {
  SmallVector<Operation *> ops = fusion.getBodyOps();
  auto *found = llvm::find_if(ops, isProduct);
  found = found == ops.end() ? llvm::find_if(ops, graph::isAnchor) : found;
  return found == ops.end() ? nullptr : *found;
}

Operation *getProductOfRows(FusionOp fusion) {
  SmallVector<Operation *> ops = fusion.getBodyOps();
  Operation *product = getMainAnchor(fusion);
  if (!product || !graph::isContraction(product) ||
      llvm::count_if(ops, isProduct) != 1) {
    return nullptr;
  }
  llvm::SmallPtrSet<Operation *, 8> feeds = {product};
  bool hasRows = false;
  for (Operation *op : llvm::reverse(ops)) {
    if (llvm::any_of(op->getUsers(),
                     [&](Operation *user) { return feeds.contains(user); })) {
      feeds.insert(op);
    }
    if (op != product && graph::isAnchor(op)) {
      hasRows = true;
      if (!feeds.contains(op)) {
        return nullptr;
      }
    }
  }
  return hasRows ? product : nullptr;
}

} // namespace minic::kernel
