// SPDX-License-Identifier: Apache-2.0
//
// RowWalk: the passes of a thread over its part of a row.

#ifndef MINIC_COMPILER_TARGET_CUDA_ROWS_ROWWALK_H
#define MINIC_COMPILER_TARGET_CUDA_ROWS_ROWWALK_H

#include "compiler/target/cuda/rows/RowValues.h"

#include "llvm/ADT/SmallBitVector.h"

namespace minic::cuda {

/// Visits the columns that a thread has of its row, once for each pass. All
/// threads of a block do, since they merge their states in between.
class RowWalk {
public:
  /// What else is done with `columns` in `pass`, such as to store results.
  using Visit = llvm::function_ref<void(int64_t pass, Columns &columns)>;

  RowWalk(CudaKernelBuilder &k, const RowFusion &rows,
          const RowSchedule &schedule, RowValues &values, RowMerger &merger)
      : k(k), rows(rows), schedule(schedule), values(values), merger(merger) {}

  /// Loads those of the fusion's operands `constants` that a thread keeps:
  /// ahead of the wait for earlier launches, which none of them needs. Scales
  /// and biases of a model come from memory, not from a cache.
  void keepConstants(const llvm::SmallBitVector &constants);
  /// Loads what passes [from, to) read, where a thread keeps it.
  void keep(int64_t from, int64_t to);

  /// All passes, one after the other.
  void all(Visit visit);
  /// One pass: the states of `reductions`, which end with it, of what the block
  /// has of its rows.
  RowMerger::States columns(int64_t pass, llvm::ArrayRef<size_t> reductions,
                            Visit visit);

private:
  using Ops = llvm::SmallVector<graph::ReductionOpInterface>;

  /// An op for each of the states that RowMerger has of `reductions`.
  Ops opsOf(llvm::ArrayRef<size_t> reductions) const;
  llvm::SmallVector<int64_t> stateShape() const;
  /// The thread's columns, all at once where they are kept.
  llvm::SmallVector<mlir::Value> overColumns(
      int64_t pass, mlir::ValueRange initial,
      llvm::function_ref<llvm::SmallVector<mlir::Value>(Columns &,
                                                        mlir::ValueRange)>
          body);
  llvm::SmallVector<mlir::Value> combine(llvm::ArrayRef<size_t> reductions,
                                         Columns &columns,
                                         mlir::ValueRange states);
  /// The index of each lane along every iterator that `op` reduces.
  llvm::SmallVector<mlir::Value> positions(graph::ReductionOpInterface op,
                                           Columns &columns);

  CudaKernelBuilder &k;
  const RowFusion &rows;
  const RowSchedule &schedule;
  RowValues &values;
  RowMerger &merger;
  llvm::SmallVector<Columns> kept;
  /// The nodes of `kept` that are loaded already.
  llvm::SmallVector<size_t> keptAhead;
};

} // namespace minic::cuda

#endif // MINIC_COMPILER_TARGET_CUDA_ROWS_ROWWALK_H
