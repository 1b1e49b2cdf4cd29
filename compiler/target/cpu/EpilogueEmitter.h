// SPDX-License-Identifier: Apache-2.0
//
// EpilogueEmitter: the pointwise ops of a fusion on vectors of its iteration
// space, from their inputs' memory to their results' memory.

#ifndef MINIC_COMPILER_TARGET_CPU_EPILOGUEEMITTER_H
#define MINIC_COMPILER_TARGET_CPU_EPILOGUEEMITTER_H

#include "compiler/target/cpu/KernelAbi.h"
#include "dialects/kernel/FusionShape.h"

#include "llvm/ADT/DenseMap.h"

namespace minic::cpu {

/// Emits a DAG of pointwise ops over rows of the iteration space. A row is
/// every index but the last; row number r and column n address the space in
/// row-major order. Inputs are dense and broadcast into the space; results are
/// dense and have its shape.
class EpilogueEmitter {
public:
  /// `inputs` are pointers parallel to shape.epilogueInputs, `results` pointers
  /// parallel to shape.results. `shape` must outlive this.
  EpilogueEmitter(KernelBuilder &builder, const kernel::FusionShape &shape,
                  llvm::ArrayRef<mlir::Value> inputs,
                  llvm::ArrayRef<mlir::Value> results);

  /// One row of the space: where its part of every input and result begins.
  struct Row {
    llvm::SmallVector<mlir::Value> inputs, results;
  };
  /// The row number `base` (an i64) plus `ahead`. Rows of one base share its
  /// address arithmetic, so `base` must dominate all their uses.
  Row row(mlir::Value base, int64_t ahead = 0);

  /// Computes and stores columns [column, column + lanes) of `row`, of which
  /// `mask` (null: all) are stored. `anchor` is the contraction's result there,
  /// in f32 or i32; null for a body without one.
  void emit(const Row &row, mlir::Value column, int64_t lanes, mlir::Value mask,
            mlir::Value anchor);

  /// `value` of the shape there, which is not stored.
  mlir::Value emitValue(const Row &row, mlir::Value column, int64_t lanes,
                        mlir::Value mask, mlir::Value value);

  /// Vector instructions of one emit, roughly: what a fully unrolled use costs
  /// in code.
  static int64_t instructionCount(const kernel::FusionShape &shape);

private:
  /// Everything that the shape computes there.
  llvm::DenseMap<mlir::Value, mlir::Value>
  compute(const Row &row, mlir::Value column, int64_t lanes, mlir::Value mask,
          mlir::Value anchor);
  mlir::Value load(size_t input, const Row &row, mlir::Value column,
                   int64_t lanes, mlir::Value mask);

  KernelBuilder &k_;
  const kernel::FusionShape &shape_;
  llvm::SmallVector<mlir::Value> inputs_, results_;
  llvm::SmallVector<kernel::BroadcastMap> maps_;
  /// The last base asked for and where it begins: the inputs' pointers (null
  /// where rows have no constant distance), then the results'.
  mlir::Value base_;
  llvm::SmallVector<mlir::Value> basePointers_;
  /// Values of inputs that are the same in every row, by input and column.
  llvm::DenseMap<std::pair<size_t, mlir::Value>, mlir::Value> invariants_;
};

} // namespace minic::cpu

#endif // MINIC_COMPILER_TARGET_CPU_EPILOGUEEMITTER_H
