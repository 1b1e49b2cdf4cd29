// SPDX-License-Identifier: Apache-2.0
//
// RowWorkspace: where blocks that share rows leave what each of them knows.

#ifndef MINIC_COMPILER_TARGET_CUDA_ROWS_ROWWORKSPACE_H
#define MINIC_COMPILER_TARGET_CUDA_ROWS_ROWWORKSPACE_H

#include "compiler/target/cuda/rows/RowReduction.h"

namespace minic::cuda {

/// Bytes of the workspace that all launches of `rows` share, and of the
/// counters; 0 where they need none.
int64_t workspaceBytes(const RowFusion &rows, const RowSchedule &schedule);
int64_t counterBytes(const RowFusion &rows, const RowSchedule &schedule);

/// The states that blocks have of their parts of rows, in global memory. All
/// threads of a block call it.
class RowWorkspace {
public:
  /// `row` (i32) is this thread's, or the first of its rows.
  RowWorkspace(CudaKernelBuilder &k, const RowFusion &rows,
               const RowSchedule &schedule, RowMerger &merger,
               mlir::Value workspace, mlir::Value row)
      : k(k), rows(rows), schedule(schedule), merger(merger),
        workspace(workspace), row(row) {}

  /// Writes `states`, the block's own of the reductions `nodes`. One thread of
  /// each row calls it.
  void store(llvm::ArrayRef<size_t> nodes, const RowMerger::States &states);
  /// The states of whole rows of the reductions `nodes`, in every thread of
  /// them. The order of merging depends on the schedule alone.
  RowMerger::States merge(llvm::ArrayRef<size_t> nodes);

private:
  /// The reduction `node` of the row that is `lane` rows behind `row`.
  struct Slot {
    size_t node;
    int64_t lane;
  };
  /// In the order of RowMerger's states.
  llvm::SmallVector<Slot> slotsOf(llvm::ArrayRef<size_t> nodes) const;
  mlir::Value place(Slot slot, size_t value, mlir::Value part);

  CudaKernelBuilder &k;
  const RowFusion &rows;
  const RowSchedule &schedule;
  RowMerger &merger;
  mlir::Value workspace, row;
};

} // namespace minic::cuda

#endif // MINIC_COMPILER_TARGET_CUDA_ROWS_ROWWORKSPACE_H
