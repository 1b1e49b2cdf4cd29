// SPDX-License-Identifier: Apache-2.0
//
// FusionPartition: which ops of a block are fused together while kernel-fuse
// decides, and whether the groups still form an acyclic graph.

#ifndef MINIC_PASSES_SUPPORT_FUSIONPARTITION_H
#define MINIC_PASSES_SUPPORT_FUSIONPARTITION_H

#include "mlir/IR/Block.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

namespace minic::kernel {

/// Starts with one group per op of the block, without its terminator. Groups
/// are named by small integers that stay valid until the group is merged into
/// another.
class FusionPartition {
public:
  using Group = unsigned;

  explicit FusionPartition(mlir::Block &block);

  /// The group of `op`; none for the terminator.
  std::optional<Group> groupOf(mlir::Operation *op) const;
  /// The ops of `group`, in block order unless merges brought in earlier ones.
  llvm::ArrayRef<mlir::Operation *> membersOf(Group group) const {
    return members[group];
  }
  /// True if data flows from `from` to `to`, directly or through others.
  bool hasPath(Group from, Group to) const;
  /// True if `a` and `b` can be one node: nothing flows out of one and through
  /// a third group into the other.
  bool canMerge(Group a, Group b) const;
  /// Moves the ops of `from` to `into`, which canMerge allows.
  void merge(Group into, Group from);
  /// Adds `op`, new in the block, to `group`. Its operands must come from
  /// groups that data flows from into `group` already, or into one merged with
  /// it.
  void add(mlir::Operation *op, Group group);

private:
  /// The groups that use results of `group`, each once, without itself.
  llvm::SmallVector<Group> successorsOf(Group group) const;
  /// `worklist` and all groups that its data flows to, up to the rank of `to`.
  llvm::DenseSet<Group> descendants(llvm::SmallVector<Group> worklist,
                                    Group to) const;

  llvm::SmallVector<llvm::SmallVector<mlir::Operation *, 2>> members;
  llvm::DenseMap<mlir::Operation *, Group> groups;
  /// A topological order of the groups, and the place of each in it. A path
  /// between two groups stays between their places, which keeps questions about
  /// neighbours cheap in a block of any length.
  llvm::SmallVector<Group> byRank;
  llvm::SmallVector<unsigned> ranks;
};

} // namespace minic::kernel

#endif // MINIC_PASSES_SUPPORT_FUSIONPARTITION_H
