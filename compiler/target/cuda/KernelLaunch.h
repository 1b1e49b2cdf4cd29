// SPDX-License-Identifier: Apache-2.0
//
// KernelLaunch: the plan.launch of a CUDA kernel, as families describe it.

#ifndef MINIC_COMPILER_TARGET_CUDA_KERNELLAUNCH_H
#define MINIC_COMPILER_TARGET_CUDA_KERNELLAUNCH_H

#include "compiler/target/DeviceProfile.h"
#include "dialects/plan/FusionLowering.h"

namespace minic::cuda {

struct KernelLaunch {
  llvm::SmallVector<int64_t> grid; // blocks, x first
  int64_t threads = 128;           // of a block
  int64_t clusterX = 0;            // 0: no cluster
  int64_t sharedBytes = 0;         // dynamic
  /// The kernel waits for earlier launches itself.
  bool programmatic = false;
  /// Addresses after operands and results that the kernel reads and writes:
  /// workspace, counters.
  llvm::SmallVector<mlir::Value> workspace;
  /// The word behind these that says how many rows a run has (RunRows); null:
  /// the kernel computes all.
  mlir::Value runSize;
  llvm::SmallVector<int64_t> scalars;
  /// Of operands, whose numbers are those of their addresses.
  llvm::SmallVector<plan::TensorMapAttr> tensorMaps;
  std::string label;
};

/// A diagnostic at `kernel` where its launch is programmatic and `profile`'s
/// device, before sm_90, has no such launches.
mlir::LogicalResult checkProgrammatic(plan::KernelOp kernel, bool programmatic,
                                      const DeviceProfile &profile);

/// Adds the launch of `kernel`'s entry number `entry` on the operands and
/// results of `op`, a fusion or a relayout.
void addLaunch(plan::PlanBuilder &plan, mlir::Operation *op,
               plan::KernelOp kernel, const KernelLaunch &launch,
               size_t entry = 0);

} // namespace minic::cuda

#endif // MINIC_COMPILER_TARGET_CUDA_KERNELLAUNCH_H
