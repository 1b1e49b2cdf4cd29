// SPDX-License-Identifier: Apache-2.0
//
// kernel-fuse: groups graph ops into maximal fusions. It decides nothing about
// speed: a fused body can still be implemented in parts, and select-algorithm
// compares. It keeps an op out of a fusion only where fusing would change what
// is computed, make the order impossible, or leave one iteration space.

#include "passes/kernel/CacheRules.h"
#include "passes/kernel/FusionCriteria.h"
#include "passes/kernel/FusionGroups.h"

#include "dialects/graph/InPlace.h"
#include "dialects/graph/KernelOp.h"
#include "dialects/graph/Views.h"
#include "dialects/kernel/ColumnTurns.h"
#include "dialects/kernel/ExpandOps.h"
#include "dialects/kernel/Kernel.h"
#include "passes/support/FusionPartition.h"
#include "passes/support/NormedProduct.h"
#include "passes/support/OutlineFusion.h"

#include "mlir/Analysis/TopologicalSortUtils.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/DebugLog.h"

#include <set>

#define DEBUG_TYPE "kernel-fuse"

namespace minic::kernel {
#define GEN_PASS_DEF_FUSE
#include "passes/kernel/Passes.h.inc"
} // namespace minic::kernel

using namespace mlir;
using namespace minic;
using namespace minic::kernel;
using Group = FusionPartition::Group;

static void eraseDeadOps(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block))) {
    if (isOpTriviallyDead(&op)) {
      op.erase();
    }
  }
}

//===----------------------------------------------------------------------===//
// Deciding
//===----------------------------------------------------------------------===//

namespace {

/// Applies the rules of the pass description to one block.
struct FusionRules : FusionGroups {
  using FusionGroups::FusionGroups;

  void run() {
    for (Operation &op : block) {
      if (graph::isAnchor(&op) || isKernelAnchor(&op)) {
        spaces[groupOf(&op)] = &op;
        if (allowed.moves && isa<graph::GroupNormOp>(op)) {
          takeTranspose(&op);
        }
        if (allowed.epilogues) {
          takeConsumers(&op);
        }
        if (allowed.moves && isa<graph::AttentionOp>(op)) {
          takeTranspose(&op);
        }
      }
    }
    for (Operation &op : block) {
      if (allowed.pointwise && isLeftPointwise(&op)) {
        joinProducers(&op);
      }
    }
    for (Operation &op : block) {
      if (allowed.prologues && rewritesRows(&op)) {
        takeRows(&op);
      }
    }
    // Users first, so that a chain of producers is taken link by link.
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block))) {
      takeOrClone(&op);
    }
    for (Operation &op : block) {
      if (allowed.prologues && isProductOfFewRows(&op, allowed.normRows)) {
        takeNorm(&op);
      }
    }
    for (Operation &op : block) {
      if (graph::updatesInPlace(&op)) {
        takeNewElements(*this, cast<graph::CacheUpdateOp>(op));
      }
    }
    joinUpdates(*this);
    for (Operation &op : block) {
      if (allowed.prologues && isa<graph::AttentionOp>(op)) {
        takeUpdates(*this, cast<graph::AttentionOp>(op));
      }
    }
    for (Operation &op : llvm::make_early_inc_range(block)) {
      if (isFound(&op) && llvm::all_of(op.getUses(), isTurn)) {
        cloneIntoUsers(&op, groupOf(&op));
      }
    }
  }

  /// Rule 2.
  void takeConsumers(Operation *anchor) {
    Group group = groupOf(anchor);
    auto isBefore = [](Operation *a, Operation *b) {
      return a->isBeforeInBlock(b);
    };
    std::set<Operation *, decltype(isBefore)> users(isBefore);
    SmallVector<Operation *> turns = takeTurns(anchor);
    Operation *last = turns.empty() ? lastOf(anchor) : turns.front();
    for (Operation *read : turns.empty() ? ArrayRef(last) : turns) {
      users.insert(read->user_begin(), read->user_end());
    }
    while (!users.empty()) {
      Operation *op = *users.begin();
      users.erase(users.begin());
      if (!isLeftPointwise(op)) {
        continue;
      }
      if (resultType(op).getShape() != resultType(last).getShape()) {
        LDBG() << "left out, another iteration space: " << *op;
        continue;
      }
      if (mergeIfConvex(group, op)) {
        users.insert(op->user_begin(), op->user_end());
      }
    }
  }

  /// Rule 2, for the slices that take the columns of a product in turn: they,
  /// or none where it has no such columns.
  SmallVector<Operation *> takeTurns(Operation *anchor) {
    auto turns = allowed.moves ? getColumnTurns(anchor)
                               : std::optional<std::array<graph::SliceOp, 2>>();
    SmallVector<Operation *> taken;
    if (turns) {
      for (graph::SliceOp slice : *turns) {
        mergeIfConvex(groupOf(anchor), slice);
        taken.push_back(slice);
      }
    }
    return taken;
  }

  /// Rule 2, for the transpose that alone reads the result of attention or of a
  /// group norm.
  void takeTranspose(Operation *anchor) {
    Value result = anchor->getResult(0);
    if (result.hasOneUse() && isa<graph::TransposeOp>(*result.user_begin())) {
      mergeIfConvex(groupOf(anchor), *result.user_begin());
    }
  }

  /// The anchor, or the transpose of its result that it has taken.
  Operation *lastOf(Operation *anchor) const {
    Operation *user = anchor->getResult(0).hasOneUse()
                          ? *anchor->getResult(0).user_begin()
                          : anchor;
    return isa<graph::TransposeOp>(user) &&
                   partition.groupOf(user) == partition.groupOf(anchor)
               ? user
               : anchor;
  }

  /// Rule 3.
  void joinProducers(Operation *op) {
    for (Value operand : op->getOperands()) {
      Operation *producer = operand.getDefiningOp();
      if (!producer || !isLeftPointwise(producer)) {
        continue;
      }
      Group group = groupOf(producer);
      if (group != groupOf(op) && shapeOf(group) == resultType(op).getShape()) {
        mergeIfConvex(group, op);
      }
    }
  }

  /// Rule 4.
  void takeRows(Operation *op) {
    Operation *producer = op->getOperand(0).getDefiningOp();
    Group group = groupOf(op);
    if (producer && isLeftPointwise(producer) &&
        shapeOf(groupOf(producer)) == shapeOf(group) &&
        !willFind(groupOf(producer))) {
      mergeIfConvex(group, producer);
    }
  }

  /// Rules 5 to 7, for the fusion of `op` or, where others use it too, `op`
  /// alone.
  void takeOrClone(Operation *op) {
    if (op->use_empty() ||
        !(isStrided(op) || isFound(op) || isLeftPointwise(op))) {
      return;
    }
    Group group = groupOf(op);
    if (hasAnchor(group)) {
      return; // the transpose of its result
    }
    llvm::SmallSetVector<Group, 4> users;
    bool onlyPointwiseUsers = true, onlyReduced = true;
    for (Operation *member : partition.membersOf(group)) {
      for (OpOperand &use : member->getUses()) {
        Operation *user = use.getOwner();
        auto userGroup = partition.groupOf(user);
        bool isOneElement =
            isPointwise(user) ||
            (isStrided(op) && (isStrided(user) || isReadByStrides(use)));
        if (!isOneElement && (isFound(op) || !isReduced(use))) {
          return;
        }
        onlyPointwiseUsers &= isPointwise(user);
        if (userGroup && userGroup != group) {
          onlyReduced &= isReduced(use);
          users.insert(*userGroup);
        }
      }
    }
    if (users.empty()) {
      return;
    }
    if (users.size() == 1) {
      if (canTake(users.front(), group, onlyReduced)) {
        LDBG() << "taken by its only user, "
               << spaceOf(users.front())->getName() << ": " << *op;
        absorbed += partition.membersOf(group).size();
        partition.merge(users.front(), group);
      }
      return;
    }
    // A copy per contraction would be computed again by each where no kernel
    // takes it.
    bool isFree = (isCheap(op) || isCounted(op)) && readsNoMoreThanItWrites(op);
    if (onlyPointwiseUsers && (isFree || isSlice(op))) {
      cloneIntoUsers(op, group);
    }
  }

  /// Rule 12. Its only user takes the norm, as in canTake.
  void takeNorm(Operation *product) {
    OpOperand &lhs = product->getOpOperand(0);
    Operation *last = lhs.get().getDefiningOp();
    if (!last) {
      return;
    }
    Group own = groupOf(product), group = groupOf(last);
    bool isNorm = normsLastDimension(spaceOf(group));
    for (Operation *member : partition.membersOf(group)) {
      isNorm &=
          member == spaceOf(group) || isa<graph::PointwiseOpInterface>(member);
      for (OpOperand &use : member->getUses()) {
        isNorm &= &use == &lhs ||
                  partition.groupOf(use.getOwner()) == std::optional(group);
      }
    }
    if (isNorm) {
      LDBG() << "taken by the product of its rows: " << *spaceOf(group);
      absorbed += partition.membersOf(group).size();
      partition.merge(own, group);
    }
  }

  /// The only user of a group takes it: acyclic groups cannot close a cycle.
  /// `onlyReduced`: it uses the group's values as a contraction's operands.
  bool canTake(Group user, Group group, bool onlyReduced) const {
    if ((hasKernel(user) && hasKernel(group)) || !mayTake(user, group)) {
      return false;
    }
    if (hasStrided(group)) {
      // Read as strides, which of all anchors attention does, and what makes
      // the operands of a product.
      Operation *move = partition.membersOf(group).front();
      return partition.membersOf(group).size() == 1 &&
             (!hasAnchor(user) || feedsProduct(move, user) ||
              llvm::all_of(move->getUses(), [](OpOperand &use) {
                return isReadByStrides(use) || isStrided(use.getOwner());
              }));
    }
    Operation *first = partition.membersOf(group).front();
    if (isFound(first)) {
      return takesFound(user) && (isCounted(first) || isOfSize(user, first));
    }
    return onlyReduced || shapeOf(user) == shapeOf(group) ||
           llvm::all_of(partition.membersOf(group), isCheap);
  }

  /// Whether `op` is a slice of which `group`, that of a product, only needs
  /// what pointwise ops make of it for the product's operands.
  bool feedsProduct(Operation *op, Group group) const {
    Operation *product = spaceOf(group);
    if (!isSlice(op) || !graph::isContraction(product) ||
        llvm::is_contained(op->getUsers(), product)) {
      return false;
    }
    // What waits for the product, and what waits for the slice, up to there.
    auto follow = [&](Operation *from) {
      llvm::SmallSetVector<Operation *, 8> behind;
      behind.insert(from);
      for (size_t i = 0; i != behind.size(); ++i) {
        for (Operation *user : behind[i]->getUsers()) {
          if (user != product && partition.groupOf(user) == group) {
            behind.insert(user);
          }
        }
      }
      return behind;
    };
    llvm::SmallSetVector<Operation *, 8> last = follow(product);
    return llvm::all_of(follow(op), [&](Operation *each) {
      bool staysInside = llvm::all_of(each->getUsers(), [&](Operation *user) {
        return partition.groupOf(user) == group;
      });
      return staysInside && !last.contains(each) &&
             (each == op || isa<graph::PointwiseOpInterface>(each));
    });
  }
};

} // namespace

//===----------------------------------------------------------------------===//
// Rewriting
//===----------------------------------------------------------------------===//

namespace {

/// Each attention by the ops of its stages.
static void expandAttention(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(block)) {
    if (isa<graph::AttentionOp>(op) && canExpand(&op)) {
      OpBuilder builder(&op);
      op.replaceAllUsesWith(
          cast<graph::ExpandableOpInterface>(op).expand(builder));
      op.erase();
    }
  }
}

struct Fuse : kernel::impl::FuseBase<Fuse> {
  using FuseBase::FuseBase;

  void runOnOperation() override {
    func::FuncOp func = getOperation();
    if (func.isExternal()) {
      return;
    }
    FuseOptions allowed = {epilogues, prologues, pointwise, moves,
                           attention, normRows,  updateRows};
    for (Block &block : func.getBody()) {
      if (!attention) {
        expandAttention(block);
      }
      eraseDeadOps(block);
      FusionRules rules(block, allowed);
      rules.run();
      // Producers that were cloned into all of their users.
      eraseDeadOps(block);
      absorbed += rules.absorbed;
      cloned += rules.cloned;

      llvm::MapVector<Group, SmallVector<Operation *>> fusions;
      for (Operation &op : block.without_terminator()) {
        // A view is another name for the same bytes.
        if (isa<graph::FusibleOpInterface, graph::KernelOp>(op) &&
            !graph::isView(&op)) {
          fusions[rules.groupOf(&op)].push_back(&op);
        }
      }
      for (auto &[group, ops] : fusions) {
        outlineFusion(ops);
        ++this->fusions;
      }
      if (!sortTopologically(&block)) {
        func.emitError("internal: fusions depend on each other in a cycle");
        return signalPassFailure();
      }
    }
  }
};

} // namespace
