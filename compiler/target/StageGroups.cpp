// SPDX-License-Identifier: Apache-2.0
//
// Puts each op into the last group that it reads, or into one of its own; then
// some later, where less goes through memory so.

#include "compiler/target/StageGroups.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace minic {

/// The one group of rows behind `own` that has all users of `op` and reads all
/// that `op` does: there `op` costs no pass, and its result no memory.
static std::optional<size_t>
laterGroup(Operation *op, size_t own, ArrayRef<StageGroup> groups,
           const llvm::DenseMap<Operation *, size_t> &groupOf) {
  if (!isa<graph::PointwiseOpInterface>(op) || op->use_empty()) {
    return std::nullopt;
  }
  size_t later = groupOf.lookup(*op->user_begin());
  auto isLater = [&](Operation *user) {
    return user != op && groupOf.lookup(user) == later;
  };
  bool fits =
      later > own && !groups[later].isProduct &&
      llvm::all_of(op->getUsers(), isLater) &&
      llvm::all_of(op->getOperands(), [&](Value operand) {
        return llvm::any_of(operand.getUsers(), isLater) ||
               cast<RankedTensorType>(operand.getType()).getNumElements() == 1;
      });
  return fits ? std::optional(later) : std::nullopt;
}

std::vector<StageGroup> getStageGroups(kernel::FusionOp fusion) {
  std::vector<StageGroup> groups(1); // what needs no anchor
  llvm::DenseMap<Operation *, size_t> groupOf;
  SmallVector<Operation *> body = fusion.getBodyOps();
  for (Operation *op : body) {
    size_t group = 0;
    for (Value operand : op->getOperands()) {
      if (Operation *producer = operand.getDefiningOp()) {
        group = std::max(group, groupOf.lookup(producer));
      }
    }
    bool isProduct = graph::isContraction(op) || graph::isConvolution(op);
    bool isRows = graph::isAnchor(op) && !isProduct;
    if (isProduct || (isRows && (group == 0 || groups[group].isProduct))) {
      group = groups.size();
      groups.push_back({isProduct, {}});
    }
    groupOf[op] = group;
  }
  for (Operation *op : llvm::reverse(body)) {
    if (auto later = laterGroup(op, groupOf[op], groups, groupOf)) {
      groupOf[op] = *later;
    }
  }
  for (auto [index, op] : llvm::enumerate(body)) {
    groups[groupOf[op]].ops.push_back(int64_t(index));
  }
  llvm::erase_if(groups,
                 [](const StageGroup &group) { return group.ops.empty(); });
  return groups;
}

} // namespace minic
