// SPDX-License-Identifier: Apache-2.0
//
// Puts each op into the last group that it reads, or into one of its own; then
// some later, where less goes through memory so.

#include "compiler/target/StageGroups.h"

#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/MapVector.h"
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

/// `ops`, which need no anchor, by the values that ops behind them read: a
/// kernel computes several of one shape, and what needs the same op belongs
/// together.
static std::vector<StageGroup>
splitByShape(ArrayRef<int64_t> ops, ArrayRef<Operation *> body,
             const llvm::DenseMap<Operation *, size_t> &groupOf) {
  llvm::EquivalenceClasses<Operation *> classes;
  std::vector<std::pair<ArrayRef<int64_t>, Operation *>> shapes;
  for (int64_t index : ops) {
    Operation *op = body[index];
    classes.insert(op);
    for (Value operand : op->getOperands()) {
      if (Operation *producer = operand.getDefiningOp()) {
        classes.unionSets(op, producer);
      }
    }
    bool isReadBehind = llvm::any_of(op->getUsers(), [&](Operation *user) {
      return groupOf.lookup(user) != 0 || isa<kernel::YieldOp>(user);
    });
    if (!isReadBehind) {
      continue;
    }
    auto shape = cast<RankedTensorType>(op->getResult(0).getType()).getShape();
    auto known = llvm::find_if(
        shapes, [&](const auto &entry) { return entry.first == shape; });
    if (known == shapes.end()) {
      shapes.emplace_back(shape, op);
    } else {
      classes.unionSets(op, known->second);
    }
  }
  llvm::MapVector<Operation *, StageGroup> groups;
  for (int64_t index : ops) {
    groups[classes.getLeaderValue(body[index])].ops.push_back(index);
  }
  std::vector<StageGroup> result;
  llvm::append_range(result, llvm::make_second_range(groups));
  return result;
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
  std::vector<StageGroup> result =
      splitByShape(groups.front().ops, body, groupOf);
  llvm::append_range(result, ArrayRef(groups).drop_front());
  llvm::erase_if(result,
                 [](const StageGroup &group) { return group.ops.empty(); });
  return result;
}

} // namespace minic
