// SPDX-License-Identifier: Apache-2.0
//
// The only interface through which the lower-to-plan pass knows targets.

#ifndef MINIC_DIALECTS_PLAN_FUSIONLOWERING_H
#define MINIC_DIALECTS_PLAN_FUSIONLOWERING_H

#include "dialects/plan/Plan.h"

namespace minic::plan {

/// Takes the commands of a lowering while a function becomes a plan.
/// Addresses of the fusion's operands and results are known to the pass.
class PlanBuilder {
public:
  virtual ~PlanBuilder() = default;

  /// The builder, positioned in the variant's `run` region.
  virtual mlir::OpBuilder &builder() = 0;
  /// The address of an operand or result of the fusion being lowered.
  virtual mlir::Value addressOf(mlir::Value tensor) = 0;
  /// A temporary buffer in the arena.
  virtual mlir::Value buffer(int64_t bytes) = 0;
  /// Memory of the kernel's own in the arena that holds zeros when a run
  /// starts; the kernel leaves it so (counters of split-K).
  virtual mlir::Value zeroedBuffer(int64_t bytes) = 0;
  /// The variant's 32-bit word that kernels set to another value than 0 where
  /// an index was out of range, and never to 0. Whoever waits for the run
  /// reports that.
  virtual mlir::Value statusWord() = 0;
  /// The variant's 32-bit word that has the run's size of a padded dimension of
  /// the function, or 0 where that is the function's own (kernel::RunRows).
  virtual mlir::Value sizeWord(mlir::StringAttr dim) = 0;
  /// Threads of the variant being built.
  virtual int64_t threads() const = 0;
  /// A plan.kernel that holds `op` (a fusion with impl, or a relayout), cloned
  /// on block arguments, to be generated later; `entries` symbols are made
  /// unique from `stem` and the kernel's parameters. Kernels with equal bodies
  /// share one plan.kernel.
  virtual KernelOp kernel(mlir::Operation *op, llvm::StringRef stem,
                          int64_t entries = 1) = 0;
};

/// Turns one implemented fusion, or a relayout, into plan commands.
class FusionLowering {
public:
  virtual ~FusionLowering() = default;
  /// `op` is a kernel.fusion with `impl` or a kernel.relayout of an activation.
  /// Emits a diagnostic on failure.
  virtual mlir::LogicalResult lower(mlir::Operation *op, PlanBuilder &plan) = 0;
};

} // namespace minic::plan

#endif // MINIC_DIALECTS_PLAN_FUSIONLOWERING_H
