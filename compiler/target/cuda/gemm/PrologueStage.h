// SPDX-License-Identifier: Apache-2.0
//
// PrologueStage: from what was copied to a stage to an operand's tile.

#ifndef MINIC_COMPILER_TARGET_CUDA_GEMM_PROLOGUESTAGE_H
#define MINIC_COMPILER_TARGET_CUDA_GEMM_PROLOGUESTAGE_H

#include "compiler/target/cuda/BodyEvaluator.h"
#include "compiler/target/cuda/gemm/OperandPrologue.h"

namespace minic::cuda {

/// The tile of a stage that a prologue makes, and the block it is for.
struct PrologueTile {
  int64_t rows = 0, rowBytes = 0, bk = 0, threads = 0;
  /// Where it begins in a stage.
  int64_t offset = 0;
  mlir::Value thread, firstRow;
  /// The product's batch, and its extents.
  mlir::Value batch;
  llvm::ArrayRef<int64_t> batchExtents;
};

/// Each thread makes the elements that it copied the inputs of, in f32, rounded
/// as a tensor would be. Elements behind K's end become zero, whatever the ops
/// make of zero.
class PrologueStage {
public:
  /// `parameters`: the kernel's pointers, parallel to the body's arguments.
  /// Loads what varies nowhere; earlier launches must be complete.
  PrologueStage(CudaKernelBuilder &k, const OperandPrologue &prologue,
                const GemmOperand &operand, const PrologueTile &tile,
                llvm::ArrayRef<mlir::Value> parameters);

  /// Makes the tile of the stage at `stage`, whose copies the thread has waited
  /// for and whose first element of K is `firstK`. The barrier is the caller's.
  void emit(mlir::Value stage, mlir::Value firstK);

private:
  /// A direct input in this block.
  struct Source {
    const DirectInput *input;
    mlir::Value base;  // of the batch
    mlir::Value value; // where it is the same for all elements
  };
  /// Makes the thread's elements of `rows`. `alongK`: the values of direct
  /// inputs that are the same in all rows, null for the others.
  void emitRows(mlir::Value stage, llvm::ArrayRef<mlir::Value> rows,
                llvm::ArrayRef<mlir::Value> alongK);
  /// Gives `body` all inputs at `row`.
  void load(mlir::Value stage, mlir::Value row,
            llvm::ArrayRef<mlir::Value> alongK, BodyEvaluator &body);
  mlir::Value loadStaged(const StagedMatrix &staged, mlir::Value stage,
                         mlir::Value row);
  /// The thread's lanes of `source` at its K and `row` of the operand.
  mlir::Value loadDirect(const Source &source, mlir::Value row);
  mlir::Value rowOffset(const DirectInput &input, mlir::Value row);
  /// Bytes from a tile's begin to the thread's elements in a row.
  mlir::Value offsetIn(int64_t rowBytes, int64_t elementBytes, mlir::Value row);
  mlir::Value maskedByK(mlir::Value value);

  bool hasKTail() const { return operand_.k % tile_.bk != 0; }
  bool hasWholeAccesses() const { return operand_.k % prologue_.lanes == 0; }
  int64_t rowsPerPass() const {
    return tile_.threads / (tile_.bk / prologue_.lanes);
  }

  CudaKernelBuilder &k_;
  const OperandPrologue &prologue_;
  const GemmOperand &operand_;
  PrologueTile tile_;
  llvm::SmallVector<Source> sources_;
  /// The thread's first row in the tile and element of K in the stage.
  mlir::Value row_, accessK_;
  /// Of the stage at hand: the thread's K.
  mlir::Value threadK_;
};

} // namespace minic::cuda

#endif // MINIC_COMPILER_TARGET_CUDA_GEMM_PROLOGUESTAGE_H
