// SPDX-License-Identifier: Apache-2.0
//
// The boundary of a part, and the clone of its ops.

#include "dialects/kernel/OutlinePart.h"

#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace minic::kernel {

OutlinedPart outlinePart(FusionOp fusion, ArrayRef<int64_t> indices) {
  SmallVector<int64_t> sorted(indices);
  llvm::sort(sorted);
  SmallVector<Operation *> bodyOps = fusion.getBodyOps();
  llvm::SmallSetVector<Operation *, 8> ops;
  for (int64_t index : sorted) {
    ops.insert(bodyOps[index]);
  }

  llvm::SmallSetVector<Value, 8> operands;
  OutlinedPart part;
  SmallVector<Type> resultTypes;
  for (Operation *op : ops) {
    for (Value operand : op->getOperands()) {
      if (!ops.contains(operand.getDefiningOp())) {
        operands.insert(operand);
      }
    }
    for (Value result : op->getResults()) {
      // Other detached parts may use the same value: they do not count.
      if (llvm::any_of(result.getUsers(), [&](Operation *user) {
            return user->getParentOp() == fusion && !ops.contains(user);
          })) {
        part.results.push_back(result);
        resultTypes.push_back(result.getType());
      }
    }
  }

  OpBuilder builder(fusion.getContext());
  part.fusion = FusionOp::create(builder, fusion.getLoc(), resultTypes,
                                 operands.getArrayRef(), /*choice=*/nullptr,
                                 /*impl=*/nullptr);
  Block *body = builder.createBlock(&part.fusion->getBody());
  IRMapping mapping;
  for (Value operand : operands) {
    mapping.map(operand,
                body->addArgument(operand.getType(), operand.getLoc()));
  }
  for (Operation *op : ops) {
    builder.clone(*op, mapping);
  }
  SmallVector<Value> yielded;
  for (Value result : part.results) {
    yielded.push_back(mapping.lookup(result));
  }
  YieldOp::create(builder, fusion.getLoc(), yielded);
  return part;
}

} // namespace minic::kernel
