// SPDX-License-Identifier: Apache-2.0
//
// An update in place is fused only with what does not read the cache that it
// overwrites.

#include "passes/kernel/CacheRules.h"

#include "dialects/graph/InPlace.h"
#include "dialects/graph/Views.h"
#include "passes/kernel/FusionCriteria.h"

#include "mlir/IR/Builders.h"

using namespace mlir;

namespace minic::kernel {

using Group = FusionPartition::Group;

void takeNewElements(FusionGroups &groups, graph::CacheUpdateOp update) {
  Group own = groups.groupOf(update);
  Value state = graph::skipReshapes(update.getCache());
  auto isNewElement = [&](Operation *op) {
    bool isRead = isa<graph::PointwiseOpInterface>(op) || isStrided(op) ||
                  isa<graph::RotaryOp>(op);
    return isRead && llvm::none_of(op->getOperands(), [&](Value operand) {
             return isPartOf(operand, {state});
           });
  };
  auto isOwn = [&](Operation *user) {
    return groups.partition.groupOf(user) == own;
  };
  SmallVector<Value> values = {update.getUpdate()};
  while (!values.empty()) {
    Operation *op = values.pop_back_val().getDefiningOp();
    auto group = op ? groups.partition.groupOf(op) : std::nullopt;
    if (!group || *group == own || !llvm::all_of(op->getUsers(), isOwn) ||
        groups.partition.membersOf(*group).size() != 1 || !isNewElement(op) ||
        !(isStrided(op) ? groups.allowed.moves : groups.allowed.prologues)) {
      continue;
    }
    groups.mergeIfConvex(own, op);
    llvm::append_range(values, op->getOperands());
  }
}

/// Whether `group` reads what an update of `other` writes or has written.
static bool readsStateOf(const FusionGroups &groups, Group group, Group other) {
  llvm::SmallDenseSet<Value> states;
  for (Operation *op : groups.partition.membersOf(other)) {
    if (graph::updatesInPlace(op)) {
      auto update = cast<graph::CacheUpdateOp>(op);
      states.insert(graph::skipReshapes(update.getCache()));
      states.insert(update.getResult());
    }
  }
  return llvm::any_of(groups.partition.membersOf(group), [&](Operation *op) {
    return llvm::any_of(op->getOperands(), [&](Value operand) {
      return isPartOf(operand, states);
    });
  });
}

void joinUpdates(FusionGroups &groups) {
  if (!groups.allowed.pointwise) {
    return;
  }
  SmallVector<graph::CacheUpdateOp> leaders;
  for (Operation &op : groups.block) {
    if (!graph::updatesInPlace(&op)) {
      continue;
    }
    auto update = cast<graph::CacheUpdateOp>(op);
    Group own = groups.groupOf(update);
    bool isTaken = llvm::any_of(leaders, [&](graph::CacheUpdateOp leader) {
      Group group = groups.groupOf(leader);
      return leader.getUpdate().getType() == update.getUpdate().getType() &&
             !readsStateOf(groups, group, own) &&
             !readsStateOf(groups, own, group) &&
             groups.mergeIfConvex(group, update);
    });
    if (!isTaken) {
      leaders.push_back(update);
    }
  }
}

/// The query's rotary embedding, with the moves that it alone reads.
static void takeTurnedQuery(FusionGroups &groups,
                            graph::AttentionOp attention) {
  auto turned = attention.getQuery().getDefiningOp<graph::RotaryOp>();
  if (!turned || !turned->hasOneUse()) {
    return;
  }
  bool isAlone = llvm::all_of(
      groups.partition.membersOf(groups.groupOf(turned)),
      [&](Operation *op) { return op == turned || isStrided(op); });
  if (isAlone) {
    groups.mergeIfConvex(groups.groupOf(attention), turned);
  }
}

/// What counts the keys costs less than reading it from another kernel.
static void copyLength(FusionGroups &groups, graph::AttentionOp attention) {
  Value length = attention.getKeyLength();
  Operation *op = length ? length.getDefiningOp() : nullptr;
  Group own = groups.groupOf(attention);
  if (!op || !isPointwise(op) || !isCheap(op) ||
      resultType(op).getNumElements() != 1 || groups.groupOf(op) == own ||
      groups.partition.hasPath(own, groups.groupOf(op))) {
    return;
  }
  OpBuilder builder(op);
  Operation *clone = builder.clone(*op);
  groups.partition.add(clone, own);
  attention.getKeyLengthMutable()[0].set(clone->getResult(0));
  ++groups.cloned;
}

void takeUpdates(FusionGroups &groups, graph::AttentionOp attention) {
  Value key = attention.getKey(), value = attention.getValue();
  if (!isUpdatedCache(key, groups.allowed.updateRows) ||
      !isUpdatedCache(value, groups.allowed.updateRows) || key == value) {
    return;
  }
  for (Value cache : {key, value}) {
    Group group = groups.groupOf(cache.getDefiningOp());
    bool isOfOthers =
        llvm::any_of(groups.partition.membersOf(group), [&](Operation *op) {
          return graph::isAnchor(op) ||
                 (graph::updatesInPlace(op) && op != key.getDefiningOp() &&
                  op != value.getDefiningOp());
        });
    if (isOfOthers && group != groups.groupOf(attention)) {
      return;
    }
  }
  for (Value cache : {key, value}) {
    Operation *update = cache.getDefiningOp();
    Group own = groups.groupOf(attention);
    if (groups.groupOf(update) != own && !groups.mergeIfConvex(own, update)) {
      return;
    }
  }
  takeTurnedQuery(groups, attention);
  copyLength(groups, attention);
}

} // namespace minic::kernel
