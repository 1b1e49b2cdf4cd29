// SPDX-License-Identifier: Apache-2.0
//
// RowValues: what a thread knows of its row: by column, and of the whole row.

#ifndef MINIC_COMPILER_TARGET_CUDA_ROWS_ROWVALUES_H
#define MINIC_COMPILER_TARGET_CUDA_ROWS_ROWVALUES_H

#include "compiler/target/cuda/rows/RowMemory.h"
#include "compiler/target/cuda/rows/RowReduction.h"

namespace minic::cuda {

/// `vector` columns from `column` on, or that of `across` rows, and what is
/// known of them by node.
struct Columns {
  mlir::Value column;
  mlir::Value isInside; // null: always
  llvm::SmallVector<mlir::Value> raw, values;
};

/// Nodes are numbers in a RowFusion; pass number n comes after n passes.
class RowValues {
public:
  /// `own` (i32): this thread's number among all of its row.
  RowValues(CudaKernelBuilder &k, const RowFusion &rows,
            const RowSchedule &schedule, RowMemory &memory, mlir::Value own)
      : k(k), rows(rows), schedule(schedule), memory(memory), own(own),
        isExact(rows.columns() % schedule.step() == 0),
        perRow(rows.nodes.size()), divisors(rows.nodes.size()) {}

  graph::ReductionOpInterface reduction(size_t node) const {
    return cast<graph::ReductionOpInterface>(rows.nodes[node].op);
  }
  /// The reductions that end with `pass`.
  llvm::SmallVector<size_t> reductionsOf(int64_t pass) const;

  /// The thread's columns of one step, which begins at column `first`.
  llvm::SmallVector<Columns> columnsFrom(mlir::Value first);
  /// The reads of passes [from, to) at each column.
  llvm::SmallVector<size_t> readBy(int64_t from, int64_t to) const;
  /// Those of `pass` that a step loads ahead of its stores, which no load may
  /// pass. None where registers would not hold them.
  llvm::SmallVector<size_t> loadedAhead(int64_t pass) const;
  /// All loads are in flight together.
  void load(llvm::MutableArrayRef<Columns> all, llvm::ArrayRef<size_t> nodes);

  /// Node number `i` at `columns`, in compute type. What it needs of the row is
  /// known.
  mlir::Value valueOf(size_t i, Columns &columns);

  /// A node that is per row, once it is known.
  mlir::Value ofRow(size_t node) const { return perRow[node]; }
  /// Ends `reductions` with the states of whole rows.
  void setReduced(llvm::ArrayRef<size_t> reductions,
                  const RowMerger::States &states);
  /// What is known after `pass` passes and is no reduction.
  void computePerRow(int64_t pass);

private:
  /// x / d as (x * scale) * reciprocal: two roundings, as the reference allows
  /// a division. The scale is 1 unless 1 / d would overflow or lose digits.
  struct Divisor {
    mlir::Value scale, reciprocal; // null: nothing is divided by it
  };

  bool isAlwaysInside(int64_t vector) const;
  void findNeeded(size_t node, std::vector<bool> &needed) const;
  void load(size_t node, Columns &columns);
  mlir::Value gather(llvm::ArrayRef<mlir::Value> rows);
  /// What is known of the thread's row or rows, for each lane of its vectors.
  mlir::Value spread(mlir::Value ofRow);
  bool isDivisionByRow(const RowFusion::Node &node) const;
  void prepareDivisor(size_t node);
  mlir::Value divide(mlir::Value dividend, const Divisor &divisor);

  CudaKernelBuilder &k;
  const RowFusion &rows;
  const RowSchedule &schedule;
  RowMemory &memory;
  mlir::Value own;
  const bool isExact; // no vector of a thread is outside of its row
  llvm::SmallVector<mlir::Value> perRow; // by node
  llvm::SmallVector<Divisor> divisors;   // by node
};

} // namespace minic::cuda

#endif // MINIC_COMPILER_TARGET_CUDA_ROWS_ROWVALUES_H
