// SPDX-License-Identifier: Apache-2.0
//
// ImageCopy: windows of images on their way to a tile in shared memory.

#ifndef MINIC_COMPILER_TARGET_CUDA_GEMM_IMAGECOPY_H
#define MINIC_COMPILER_TARGET_CUDA_GEMM_IMAGECOPY_H

#include "compiler/target/cuda/KernelAbi.h"
#include "compiler/target/cuda/gemm/ImageMatrix.h"

namespace minic::cuda {

/// The tile that all threads of a block copy together.
struct ImageTile {
  int64_t rows, rowBytes, threads;
  mlir::Value thread;
  /// Its first row in the matrix, and where the images of the group begin.
  mlir::Value firstRow, base;
};

/// Copies tiles of an ImageMatrix. What is outside of images, rows or K becomes
/// zero. A thread has the same elements of K in all of its rows: which taps
/// they are is found once a stage, where a row's window begins once a kernel.
class ImageCopy {
public:
  ImageCopy(CudaKernelBuilder &builder, const ImageMatrix &image,
            const GemmOperand &operand, const ImageTile &tile);

  bool gathers() const { return image_.gathers; }
  /// Unless it gathers: issues the copies of the stage whose K begins at
  /// `firstK`, a multiple of a stage's, to the tile at `shared`.
  void issue(mlir::Value firstK, mlir::Value shared);
  /// If it gathers: loads such a stage, which may lie beyond K, and stores it.
  llvm::SmallVector<mlir::Value> load(mlir::Value firstK);
  void store(llvm::ArrayRef<mlir::Value> loaded, mlir::Value shared);

private:
  /// How it is known what is inside.
  enum class Checks {
    None, // all is
    Mask, // a bit for each tap that is, for each row
    Range // of each row the window's first line and column
  };
  /// Of a row of the tile: `offset` from `base` to where its window begins, in
  /// elements; then what Checks says.
  struct Row {
    mlir::Value offset, mask, line, column;
  };
  /// Of a window: the distance of some element from its beginning; the number
  /// of its tap, or the distance in lines and columns, beyond every image where
  /// the tap is none.
  struct Tap {
    mlir::Value distance, number, line, column;
  };

  int64_t unitElements() const;
  int64_t passes() const;
  Checks chooseChecks() const;
  Row rowAt(mlir::Value row);
  mlir::Value maskOf(mlir::Value line, mlir::Value column);
  Tap tapAt(mlir::Value firstK, int64_t element);
  /// Null for always.
  mlir::Value isInside(const Row &row, const Tap &tap);
  mlir::Value placeIn(mlir::Value shared, int64_t pass);
  /// `body` where row number `pass` is one of the tile's.
  void ifInTile(int64_t pass, llvm::function_ref<void()> body);

  mlir::Value shiftLeft(mlir::Value lhs, mlir::Value rhs);
  mlir::Value bothOf(mlir::Value lhs, mlir::Value rhs);
  mlir::Value isBelow(mlir::Value index, int64_t extent); // unsigned

  CudaKernelBuilder &k_;
  const ImageMatrix &image_;
  const GemmOperand &operand_;
  ImageTile tile_;
  Checks checks_;
  int64_t rowsPerPass_;
  /// The thread's first row of the tile, and its first element of a stage's K.
  mlir::Value row_, unitK_;
  llvm::SmallVector<Row> rows_;
  /// Where the thread's rows go, until the swizzle repeats.
  llvm::SmallVector<mlir::Value> offsets_;
};

} // namespace minic::cuda

#endif // MINIC_COMPILER_TARGET_CUDA_GEMM_IMAGECOPY_H
