// SPDX-License-Identifier: Apache-2.0
//
// SimtInterpreter: runs a device module's kernels on the CPU, before they are
// lowered: what maps of threads and fragments need to be right is checked
// without a GPU.

#ifndef MINIC_TEST_UNIT_COMPILER_TARGET_CUDA_SIMTINTERPRETER_H
#define MINIC_TEST_UNIT_COMPILER_TARGET_CUDA_SIMTINTERPRETER_H

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"

#include <string>
#include <vector>

namespace minic::cuda {

/// Memory that a kernel may access.
struct GlobalRange {
  char *data;
  int64_t bytes;
};

/// What a kernel's parameter that is a tensor map says, innermost dimension
/// first: of elements of two bytes, strides in bytes of all dims but the first,
/// rows of the box swizzled over 128 bytes.
struct SimtTensorMap {
  uint64_t address = 0;
  std::vector<int64_t> dims, strides, box;
  /// Of pixels of images [C, W, H, N] (cuTensorMapEncodeIm2col), in columns,
  /// then lines; else empty.
  std::vector<int64_t> lower, upper, steps;
};

/// How the interpreter chooses who goes on, where warp groups do not run in
/// lockstep. Each finds mistakes that another one may not.
enum class SimtOrder { FirstFirst, LastFirst, Random };

/// Runs `entry` of `device` with one pointer per range, then the tensor maps,
/// cluster after cluster, the threads of a cluster's `clusterBlocks` blocks in
/// lockstep. A kernel with an mbarrier runs each warp group by itself instead,
/// as `order` says: until it waits for something that is not yet so. What has
/// been waited for is seen only by who waited. Shared memory begins as NaN. The
/// grid is `blocks` by `blocksY`. Sums of wgmma are NaN until they have passed
/// through inline assembly that waits for them, "wgmma.wait_group.sync.aligned
/// N;". wgmma with A in registers, which is inline assembly too, has B
/// transposed.
///
/// Returns what went wrong, empty for nothing: an access outside the ranges or
/// shared memory, or not aligned to its size; shared memory that one warp
/// writes and another touches with no barrier between, of the cluster where
/// they are of two blocks, or before its copy was waited for; another block's
/// shared memory before the cluster has met, or after the block may have ended;
/// shared memory that wgmma reads with no proxy fence and barrier after it was
/// written, or that is written while it may be read; a barrier in divergent
/// code; a copy by TMA that is read before the phase of its mbarrier was waited
/// for, or written over; a wait for a phase that is not the next one; threads
/// that wait for each other for ever; an op that is not known here.
std::string interpret(mlir::ModuleOp device, llvm::StringRef entry,
                      int64_t blocks, int64_t threads, int64_t sharedBytes,
                      const std::vector<GlobalRange> &parameters,
                      int64_t blocksY = 1, int64_t clusterBlocks = 1,
                      const std::vector<SimtTensorMap> &tensorMaps = {},
                      SimtOrder order = SimtOrder::FirstFirst);

} // namespace minic::cuda

#endif // MINIC_TEST_UNIT_COMPILER_TARGET_CUDA_SIMTINTERPRETER_H
