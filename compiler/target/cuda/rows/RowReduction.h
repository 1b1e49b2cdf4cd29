// SPDX-License-Identifier: Apache-2.0
//
// RowReduction: reductions of a row whose columns are spread over the lanes of
// vectors, threads, warps and blocks.

#ifndef MINIC_COMPILER_TARGET_CUDA_ROWS_ROWREDUCTION_H
#define MINIC_COMPILER_TARGET_CUDA_ROWS_ROWREDUCTION_H

#include "compiler/target/cuda/KernelAbi.h"
#include "compiler/target/cuda/rows/RowSchedule.h"

namespace minic::cuda {

/// No reduction has more values in its state: arg_reduce's are two.
constexpr int64_t kMostStateValues = 2;

/// Bytes of shared memory of one block.
int64_t sharedBytes(const RowFusion &rows, const RowSchedule &schedule);

/// Merges states of one kernel, always in the same order. All threads of a
/// block call it.
class RowMerger {
public:
  using Ops = llvm::ArrayRef<graph::ReductionOpInterface>;
  /// One for each of some ops, or for each of an op's rows where a thread has
  /// several.
  using States = llvm::SmallVector<llvm::SmallVector<mlir::Value>>;

  /// `shared` has sharedBytes(), and is null where they are none.
  RowMerger(CudaKernelBuilder &k, const RowFusion &rows,
            const RowSchedule &schedule, mlir::Value shared)
      : k(k), rows(rows), schedule(schedule), shared(shared) {}

  /// The state of all lanes of `state`, in scalars; where a thread has several
  /// rows, of each of them.
  States mergeLanes(graph::ReductionOpInterface op, mlir::ValueRange state);
  /// The states of what a block has of its rows, in every thread of them;
  /// `states` are of threads.
  States mergeThreads(Ops ops, States states);

  /// Says that this block runs, which the others of its cluster must know
  /// before they meet.
  void joinCluster();
  /// The states of whole rows in every thread of them; `states` are those of
  /// blocks, in every thread.
  States mergeCluster(Ops ops, States states);

  /// Four bytes of shared memory that no state has; not of a cluster.
  mlir::Value flag();

private:
  States lanesOf(mlir::ValueRange state);
  /// Of `threads` neighbours.
  llvm::SmallVector<mlir::Value>
  mergeInWarp(graph::ReductionOpInterface op,
              llvm::SmallVector<mlir::Value> state, int64_t threads);
  mlir::Value shuffle(mlir::Value value, int64_t flips);
  mlir::Value slot(int64_t number, mlir::Value warp);
  /// Of this thread's row and part number `part` of its cluster.
  mlir::Value clusterSlot(int64_t number, mlir::Value part);
  int64_t warpsPerRow() const { return schedule.threads / 32; }

  CudaKernelBuilder &k;
  const RowFusion &rows;
  const RowSchedule &schedule;
  mlir::Value shared;
  // States that have a place in shared memory.
  int64_t used = 0, usedByCluster = 0;
};

} // namespace minic::cuda

#endif // MINIC_COMPILER_TARGET_CUDA_ROWS_ROWREDUCTION_H
