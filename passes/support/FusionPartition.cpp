// SPDX-License-Identifier: Apache-2.0
//
// Groups, the paths between them, and an order that merges keep.

#include "passes/support/FusionPartition.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace minic::kernel {

FusionPartition::FusionPartition(Block &block) {
  for (Operation &op : block.without_terminator()) {
    Group group = members.size();
    groups[&op] = group;
    members.push_back({&op});
    byRank.push_back(group);
    ranks.push_back(group);
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

llvm::DenseSet<FusionPartition::Group>
FusionPartition::descendants(SmallVector<Group> worklist, Group to) const {
  llvm::erase_if(worklist,
                 [&](Group group) { return ranks[group] > ranks[to]; });
  llvm::DenseSet<Group> visited(worklist.begin(), worklist.end());
  while (!worklist.empty()) {
    for (Group successor : successorsOf(worklist.pop_back_val())) {
      if (ranks[successor] <= ranks[to] && visited.insert(successor).second) {
        worklist.push_back(successor);
      }
    }
  }
  return visited;
}

bool FusionPartition::hasPath(Group from, Group to) const {
  return ranks[from] < ranks[to] &&
         descendants(successorsOf(from), to).contains(to);
}

bool FusionPartition::canMerge(Group a, Group b) const {
  if (ranks[a] > ranks[b]) {
    std::swap(a, b);
  }
  SmallVector<Group> others = successorsOf(a);
  llvm::erase(others, b);
  return !descendants(std::move(others), b).contains(b);
}

void FusionPartition::merge(Group into, Group from) {
  auto [first, last] = std::minmax(
      into, from, [&](Group a, Group b) { return ranks[a] < ranks[b]; });
  // What follows the first and is not the last comes behind both.
  llvm::DenseSet<Group> later = descendants(successorsOf(first), last);
  unsigned begin = ranks[first], end = ranks[last] + 1;
  SmallVector<Group> order;
  for (Group group : ArrayRef(byRank).slice(begin, end - begin)) {
    if (group != first && group != last && !later.contains(group)) {
      order.push_back(group);
    }
  }
  order.push_back(first);
  order.push_back(last);
  for (Group group : ArrayRef(byRank).slice(begin, end - begin)) {
    if (group != last && later.contains(group)) {
      order.push_back(group);
    }
  }
  for (auto [offset, group] : llvm::enumerate(order)) {
    byRank[begin + offset] = group;
    ranks[group] = begin + offset;
  }
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
