// SPDX-License-Identifier: Apache-2.0
//
// What groups are, and how they join.

#include "passes/kernel/FusionGroups.h"

#include "dialects/graph/KernelOp.h"
#include "passes/kernel/FusionCriteria.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/DebugLog.h"

#define DEBUG_TYPE "kernel-fuse"

using namespace mlir;

namespace minic::kernel {

using Group = FusionPartition::Group;

Operation *FusionGroups::spaceOf(Group group) const {
  auto found = spaces.find(group);
  return found == spaces.end() ? partition.membersOf(group).front()
                               : found->second;
}

ArrayRef<int64_t> FusionGroups::shapeOf(Group group) const {
  return resultType(spaceOf(group)).getShape();
}

bool FusionGroups::hasAnchor(Group group) const {
  Operation *space = spaceOf(group);
  return graph::isAnchor(space) ||
         (isa<graph::KernelOp>(space) && !isPointwiseKernel(space));
}

bool FusionGroups::hasKernel(Group group) const {
  return llvm::any_of(partition.membersOf(group),
                      llvm::IsaPred<graph::KernelOp>);
}

bool FusionGroups::isLeftPointwise(Operation *op) const {
  return isPointwise(op) && !hasAnchor(groupOf(op));
}

bool FusionGroups::hasStrided(Group group) const {
  return llvm::any_of(partition.membersOf(group), isStrided);
}

bool FusionGroups::mayTake(Group user, Group group) const {
  if (hasStrided(group) || isFound(partition.membersOf(group).front())) {
    return allowed.moves;
  }
  return hasAnchor(user) ? allowed.prologues : allowed.pointwise;
}

bool FusionGroups::isOfSize(Group group, Operation *op) const {
  return llvm::product_of(shapeOf(group)) ==
         llvm::product_of(resultType(op).getShape());
}

bool FusionGroups::takesFound(Group user) const {
  return llvm::all_of(partition.membersOf(user),
                      [](Operation *op) { return isCheap(op) || isFound(op); });
}

bool FusionGroups::willFind(Group group) const {
  auto isTaken = [&](Value operand) {
    Operation *op = operand.getDefiningOp();
    return op && isFound(op) && !isCounted(op) && isOfSize(group, op) &&
           llvm::all_of(op->getUsers(), [&](Operation *user) {
             return partition.groupOf(user) == std::optional(group);
           });
  };
  return allowed.moves && takesFound(group) &&
         llvm::any_of(partition.membersOf(group), [&](Operation *member) {
           return llvm::any_of(member->getOperands(), isTaken);
         });
}

bool FusionGroups::mergeIfConvex(Group group, Operation *op) {
  Group other = groupOf(op);
  if (hasKernel(group) && hasKernel(other)) {
    LDBG() << "left out, a second kernel of the user's: " << *op;
    return false;
  }
  if (!partition.canMerge(group, other)) {
    LDBG() << "left out, a path leads out of the fusion and back: " << *op;
    return false;
  }
  LDBG() << "fused with " << spaceOf(group)->getName() << ": " << *op;
  partition.merge(group, other);
  ++absorbed;
  return true;
}

void FusionGroups::cloneIntoUsers(Operation *op, Group own) {
  llvm::SmallSetVector<Group, 4> users;
  for (Operation *user : op->getUsers()) {
    Group group = groupOf(user);
    if (group != own && !partition.hasPath(group, own) && mayTake(group, own) &&
        (!isCounted(op) || takesFound(group)) &&
        !(isSlice(op) && hasAnchor(group))) {
      users.insert(group);
    }
  }
  for (Group group : users) {
    OpBuilder builder(op);
    Operation *clone = builder.clone(*op);
    partition.add(clone, group);
    LDBG() << "cloned into " << spaceOf(group)->getName() << ": " << *op;
    op->replaceUsesWithIf(clone->getResults(), [&](OpOperand &use) {
      return use.getOwner() != clone &&
             partition.groupOf(use.getOwner()) == group;
    });
    ++cloned;
  }
}

} // namespace minic::kernel
