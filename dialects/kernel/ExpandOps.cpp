// SPDX-License-Identifier: Apache-2.0
//
// Builds stages in the place of their op.

#include "dialects/kernel/ExpandOps.h"

using namespace mlir;

namespace minic::kernel {

void expandOps(FusionOp fusion, ArrayRef<int64_t> ops) {
  SmallVector<Operation *> body = fusion.getBodyOps();
  for (int64_t index : ops) {
    Operation *op = body[index];
    OpBuilder builder(op);
    op->replaceAllUsesWith(
        cast<graph::ExpandableOpInterface>(op).expand(builder));
    op->erase();
  }
}

ExpandedFusion::ExpandedFusion(FusionOp fusion, ArrayRef<int64_t> ops)
    : original_(fusion) {
  if (ops.empty()) {
    return;
  }
  clone_ = fusion.clone();
  // It indexes another body.
  clone_->removeChoiceAttr();
  expandOps(*clone_, ops);
}

} // namespace minic::kernel
