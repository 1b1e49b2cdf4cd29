// SPDX-License-Identifier: Apache-2.0
//
// FusionGraph: the body of a fusion as ordered stages, each with one iteration
// space.

#ifndef MINIC_DIALECTS_KERNEL_FUSIONGRAPH_H
#define MINIC_DIALECTS_KERNEL_FUSIONGRAPH_H

#include "dialects/kernel/StageSpace.h"

namespace minic::kernel {

enum class StageKind {
  Pointwise,   ///< one pass without reduction, copies included
  Contraction, ///< a sum of products
  Convolution, ///< the same over windows
  Reduction,   ///< any other reduction; a named op that has stages of its own
  Gather,      ///< reads where data says
};

/// Of an op with a FusibleOpInterface.
StageKind getStageKind(mlir::Operation *op);

/// Ops that run over one iteration space.
struct Stage {
  StageKind kind;
  /// In body order. One unless the stage is pointwise; all of a pointwise
  /// stage's ops have results of one shape, and read each other's elements at
  /// their own index only.
  llvm::SmallVector<mlir::Operation *> ops;

  bool isAnchor() const {
    return kind != StageKind::Pointwise && kind != StageKind::Gather;
  }
};

/// The stages of a whole body. Each reads body arguments and earlier stages
/// only. An op that moves elements by a map alone (reshape, transpose) is no
/// stage: who reads its result reads its operand through the map. It is a
/// pointwise stage that copies where the fusion yields it, or where a reader
/// may leave it (the padded input of a convolution).
struct FusionGraph {
  llvm::SmallVector<Stage> stages;

  /// Any number of stages of any kind. Fails with a reason for dynamic shapes,
  /// and ops without FusibleOpInterface.
  static mlir::FailureOr<FusionGraph> get(FusionOp fusion, std::string *reason);

  /// Its loops and accesses.
  StageSpace getSpace(const Stage &stage) const;
};

} // namespace minic::kernel

#endif // MINIC_DIALECTS_KERNEL_FUSIONGRAPH_H
