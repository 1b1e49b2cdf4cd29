// SPDX-License-Identifier: Apache-2.0
//
// SharedTile: a tile of an operand in shared memory, and its way there.

#ifndef MINIC_COMPILER_TARGET_CUDA_GEMM_SHAREDTILE_H
#define MINIC_COMPILER_TARGET_CUDA_GEMM_SHAREDTILE_H

#include "compiler/target/cuda/KernelAbi.h"
#include "compiler/target/cuda/gemm/GemmOperand.h"

namespace minic::cuda {

/// Rows of `rowBytes` bytes one after the other. The 16-byte chunks of a row
/// are permuted by an xor with the row's number, so that 8 rows' chunks of one
/// number lie in different banks: what ldmatrix reads at once.
struct SharedTile {
  int64_t rowBytes;

  int64_t chunks() const { return rowBytes / 16; }
  /// What the numbers of a row's chunks are xored with.
  mlir::Value swizzle(CudaKernelBuilder &k, mlir::Value row) const;
  int64_t swizzle(int64_t row) const;
  /// After how many steps of `rows` rows swizzle repeats: one where a step is a
  /// multiple of its period.
  int64_t stepsToRepeat(int64_t rows) const;

private:
  /// Rows after which swizzle repeats.
  int64_t period() const {
    return rowsPerLine() * std::min<int64_t>(chunks(), 8);
  }
  /// Rows in the 128 bytes that all banks hold.
  int64_t rowsPerLine() const { return std::max<int64_t>(128 / rowBytes, 1); }
};

/// Which rows of a tile are copied: number `first` and every `step`th from
/// there on, `accessBytes` at a time.
struct CopiedRows {
  int64_t first = 0, step = 1;
  int64_t accessBytes = 16;
};

/// Copies tiles of one operand by cp.async, all threads of the block together.
/// What is beyond the operand's rows or K becomes zero.
class TileCopy {
public:
  /// Of rows [firstRow, firstRow + tileRows) of the matrix at `base` those that
  /// `rows` says, starting at element `firstK`.
  TileCopy(CudaKernelBuilder &builder, const GemmOperand &operand,
           const CopiedRows &rows, int64_t tileRows, int64_t rowBytes,
           int64_t threads, mlir::Value thread, mlir::Value base,
           mlir::Value firstRow, mlir::Value firstK);

  /// Where the thread reads first: advance it by rowBytes per stage.
  mlir::Value source() const { return source_; }
  /// Issues the copies of one stage to the tile at `shared`; `kLeft`: elements
  /// of K from the stage's first to the last, at least 1.
  void issue(mlir::Value source, mlir::Value shared, mlir::Value kLeft);

private:
  CudaKernelBuilder &k_;
  const GemmOperand &operand_;
  CopiedRows rows_;
  int64_t tileRows_, rowBytes_;
  bool hasKTail_;
  /// Rows of the tile that all threads pass at once, and the thread's first.
  int64_t rowsPerPass_;
  mlir::Value row_, accessK_;
  mlir::Value source_;
  /// Where the thread's first rows go, until the swizzle repeats.
  llvm::SmallVector<mlir::Value> offsets_;
  /// Rows of the operand from the thread's first on; null where the operand
  /// has whole tiles only.
  mlir::Value rowsLeft_;
};

} // namespace minic::cuda

#endif // MINIC_COMPILER_TARGET_CUDA_GEMM_SHAREDTILE_H
