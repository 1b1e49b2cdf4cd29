// SPDX-License-Identifier: Apache-2.0
//
// KernelLaunch: the plan.launch of a CPU kernel, as families describe it.

#ifndef MINIC_COMPILER_TARGET_CPU_KERNELLAUNCH_H
#define MINIC_COMPILER_TARGET_CPU_KERNELLAUNCH_H

#include "dialects/plan/FusionLowering.h"

namespace minic::cpu {

struct KernelLaunch {
  int64_t tiles = 0;
  int64_t scratchBytes = 0; // of a thread
  std::string label;
  /// Addresses after operands and results that the kernel reads and writes.
  llvm::SmallVector<mlir::Value> workspace = {};
  /// The word behind these that says how many rows a run has (RunRows); null:
  /// the kernel computes all.
  mlir::Value runSize = {};
};

/// Adds the launch of `kernel`'s entry number `entry` on the operands and
/// results of `op`, a fusion or a relayout.
void addLaunch(plan::PlanBuilder &plan, mlir::Operation *op,
               plan::KernelOp kernel, const KernelLaunch &launch,
               size_t entry = 0);

} // namespace minic::cpu

#endif // MINIC_COMPILER_TARGET_CPU_KERNELLAUNCH_H
