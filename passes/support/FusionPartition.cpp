// SPDX-License-Identifier: Apache-2.0
//
// Groups and the paths between them.

#include "passes/support/FusionPartition.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallSet.h"

using namespace mlir;

namespace minic::kernel {

FusionPartition::FusionPartition(Block &block) {
  for (Operation &op : block.without_terminator()) {
    groups[&op] = members.size();
    members.push_back({&op});
  }
}

std::optional<FusionPartition::Group>
FusionPartition::groupOf(Operation *op) const {
  auto found = groups.find(op);
  return found == groups.end() ? std::nullopt : std::optional(found->second);
}

SmallVector<FusionPartition::Group>
FusionPartition::successorsOf(Group group) const {
  llvm::SmallSetVector<Group, 8> successors;
  for (Operation *op : members[group]) {
    for (Operation *user : op->getUsers()) {
      if (auto successor = groupOf(user); successor && *successor != group) {
        successors.insert(*successor);
      }
    }
  }
  return successors.takeVector();
}

bool FusionPartition::reaches(SmallVector<Group> worklist, Group to) const {
  llvm::SmallSet<Group, 16> visited(worklist.begin(), worklist.end());
  while (!worklist.empty()) {
    Group group = worklist.pop_back_val();
    if (group == to) {
      return true;
    }
    for (Group successor : successorsOf(group)) {
      if (visited.insert(successor).second) {
        worklist.push_back(successor);
      }
    }
  }
  return false;
}

bool FusionPartition::hasPath(Group from, Group to) const {
  return reaches(successorsOf(from), to);
}

bool FusionPartition::hasIndirectPath(Group from, Group to) const {
  SmallVector<Group> others = successorsOf(from);
  llvm::erase(others, to);
  return reaches(std::move(others), to);
}

bool FusionPartition::canMerge(Group a, Group b) const {
  return !hasIndirectPath(a, b) && !hasIndirectPath(b, a);
}

void FusionPartition::merge(Group into, Group from) {
  for (Operation *op : members[from]) {
    groups[op] = into;
  }
  llvm::append_range(members[into], members[from]);
  members[from].clear();
}

void FusionPartition::add(Operation *op, Group group) {
  groups[op] = group;
  members[group].push_back(op);
}

} // namespace minic::kernel
