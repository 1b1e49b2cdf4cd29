// SPDX-License-Identifier: Apache-2.0
//
// FusionGroups: the groups that the rules of kernel-fuse make of a block's ops,
// and what the rules ask about them.

#ifndef MINIC_PASSES_KERNEL_FUSIONGROUPS_H
#define MINIC_PASSES_KERNEL_FUSIONGROUPS_H

#include "passes/kernel/Passes.h"
#include "passes/support/FusionPartition.h"

#include "llvm/ADT/DenseMap.h"

namespace minic::kernel {

/// The block outlives it.
struct FusionGroups {
  using Group = FusionPartition::Group;

  FusionGroups(mlir::Block &block, const FuseOptions &allowed)
      : block(block), allowed(allowed), partition(block) {}

  Group groupOf(mlir::Operation *op) const { return *partition.groupOf(op); }
  /// The op whose result shape is the iteration space of `group`.
  mlir::Operation *spaceOf(Group group) const;
  llvm::ArrayRef<int64_t> shapeOf(Group group) const;
  /// An anchor of minic's, or a kernel of the user's that is one.
  bool hasAnchor(Group group) const;
  bool hasKernel(Group group) const;
  bool hasStrided(Group group) const;
  /// A pointwise op that no anchor has taken.
  bool isLeftPointwise(mlir::Operation *op) const;

  /// Whether the options let `user` take `group`, which it reads.
  bool mayTake(Group user, Group group) const;
  /// Whether `group` reads each element of `op`'s result once: it has as many.
  bool isOfSize(Group group, mlir::Operation *op) const;
  /// Whether `user` may have ops that find its elements. Kernels of anchors
  /// know no such ops; those that do compute elements one by one, for which
  /// costly ones are better off in vectors of their own.
  bool takesFound(Group user) const;
  /// Whether `group`, pointwise ops, is going to take ops that find its
  /// elements (rule 7): each of them would be a kernel of its own otherwise.
  bool willFind(Group group) const;

  /// `op`'s group becomes part of `group`, unless a path leads out of them and
  /// back, or both have a kernel of the user's.
  bool mergeIfConvex(Group group, mlir::Operation *op);
  /// A copy of `op`, alone in `own`, for each group that uses it and may take
  /// it (rule 10, and the ends of rules 5 to 7).
  void cloneIntoUsers(mlir::Operation *op, Group own);

  mlir::Block &block;
  const FuseOptions &allowed;
  FusionPartition partition;
  /// The anchor of groups that have one.
  llvm::DenseMap<Group, mlir::Operation *> spaces;
  unsigned absorbed = 0, cloned = 0;
};

} // namespace minic::kernel

#endif // MINIC_PASSES_KERNEL_FUSIONGROUPS_H
