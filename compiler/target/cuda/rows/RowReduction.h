// SPDX-License-Identifier: Apache-2.0
//
// RowReduction: reductions of a row whose columns are spread over the lanes of
// vectors, threads and warps.

#ifndef MINIC_COMPILER_TARGET_CUDA_ROWS_ROWREDUCTION_H
#define MINIC_COMPILER_TARGET_CUDA_ROWS_ROWREDUCTION_H

#include "compiler/target/cuda/KernelAbi.h"
#include "compiler/target/cuda/rows/RowSchedule.h"

namespace minic::cuda {

/// Bytes of shared memory of one block.
int64_t sharedBytes(const RowFusion &rows, const RowSchedule &schedule);

/// Merges states of one kernel, always in the same order. All threads of a
/// block call it.
class RowMerger {
public:
  /// `shared` is null where a row has at most one warp.
  RowMerger(CudaKernelBuilder &k, const RowSchedule &schedule,
            mlir::Value shared)
      : k(k), schedule(schedule), shared(shared) {}

  /// The state of all lanes of `state`, a scalar each.
  llvm::SmallVector<mlir::Value> mergeLanes(graph::ReductionOpInterface op,
                                            mlir::ValueRange state);
  /// The states of whole rows, in every thread of them; `states` are of
  /// threads, one for each of `ops`.
  llvm::SmallVector<llvm::SmallVector<mlir::Value>>
  mergeThreads(llvm::ArrayRef<graph::ReductionOpInterface> ops,
               llvm::SmallVector<llvm::SmallVector<mlir::Value>> states);

private:
  using States = llvm::SmallVector<llvm::SmallVector<mlir::Value>>;
  /// Of `threads` neighbours.
  llvm::SmallVector<mlir::Value>
  mergeInWarp(graph::ReductionOpInterface op,
              llvm::SmallVector<mlir::Value> state, int64_t threads);
  mlir::Value shuffle(mlir::Value value, int64_t flips);
  mlir::Value slot(int64_t number, mlir::Value warp);
  int64_t warpsPerRow() const { return schedule.threads / 32; }

  CudaKernelBuilder &k;
  const RowSchedule &schedule;
  mlir::Value shared;
  int64_t used = 0; // states that have a place in shared memory
};

} // namespace minic::cuda

#endif // MINIC_COMPILER_TARGET_CUDA_ROWS_ROWREDUCTION_H
