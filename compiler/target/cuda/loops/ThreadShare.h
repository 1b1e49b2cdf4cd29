// SPDX-License-Identifier: Apache-2.0
//
// ThreadShare: neighbouring threads of a block reduce one element together.

#ifndef MINIC_COMPILER_TARGET_CUDA_LOOPS_THREADSHARE_H
#define MINIC_COMPILER_TARGET_CUDA_LOOPS_THREADSHARE_H

#include "compiler/target/codegen/ReductionShare.h"
#include "compiler/target/cuda/KernelAbi.h"

namespace minic::cuda {

/// Within a warp, states are merged by shuffles; those of several warps go
/// through shared memory, and all threads merge them in the order of warps. All
/// threads of the block must come by.
class ThreadShare : public ReductionShare {
public:
  /// The first `count` threads of the block have one element, the next ones
  /// another; `count` is a power of two. `stores` holds in threads that may
  /// store at all.
  ThreadShare(CudaKernelBuilder &k, mlir::ModuleOp device, int64_t count,
              mlir::Value stores);

  llvm::SmallVector<mlir::Value>
  emitMerge(graph::ReductionOpInterface reduction,
            mlir::ValueRange state) const override;

  /// Dynamic shared memory that blocks of `threads` need.
  static int64_t sharedBytes(int64_t count, int64_t threads);

private:
  mlir::Value shuffle(mlir::Value value, int64_t distance) const;
  llvm::SmallVector<mlir::Value>
  mergeWarps(graph::ReductionOpInterface reduction,
             mlir::ValueRange state) const;

  CudaKernelBuilder &k;
  mlir::ModuleOp device;
};

} // namespace minic::cuda

#endif // MINIC_COMPILER_TARGET_CUDA_LOOPS_THREADSHARE_H
