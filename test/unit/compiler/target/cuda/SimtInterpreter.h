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

/// Runs `entry` of `device` with one pointer per range, block after block, the
/// threads of a block in lockstep. Shared memory begins as NaN. The grid is
/// `blocks` by `blocksY`. Sums of wgmma are NaN until they have passed through
/// inline assembly that waits for them, "wgmma.wait_group.sync.aligned N;".
///
/// Returns what went wrong, empty for nothing: an access outside the ranges or
/// shared memory, or not aligned to its size; shared memory that one warp
/// writes and another touches with no barrier between, or before its copy was
/// waited for; shared memory that wgmma reads with no proxy fence and barrier
/// after it was written, or that is written while it may be read; a barrier in
/// divergent code; an op that is not known here.
std::string interpret(mlir::ModuleOp device, llvm::StringRef entry,
                      int64_t blocks, int64_t threads, int64_t sharedBytes,
                      const std::vector<GlobalRange> &parameters,
                      int64_t blocksY = 1);

} // namespace minic::cuda

#endif // MINIC_TEST_UNIT_COMPILER_TARGET_CUDA_SIMTINTERPRETER_H
