// SPDX-License-Identifier: Apache-2.0
//
// RowMemory: where a thread's part of a row lies in the tensors of a RowFusion.

#ifndef MINIC_COMPILER_TARGET_CUDA_ROWS_ROWMEMORY_H
#define MINIC_COMPILER_TARGET_CUDA_ROWS_ROWMEMORY_H

#include "compiler/target/codegen/RowFusion.h"
#include "compiler/target/cuda/KernelAbi.h"

namespace minic::cuda {

/// Addresses of one row.
class RowMemory {
public:
  /// `row` (i32) is below the number of rows, and so are the `across` rows from
  /// it on, which are neighbours in memory. `operands` and `results` are the
  /// fusion's pointers; no results where none is stored.
  RowMemory(CudaKernelBuilder &k, const RowFusion &rows,
            llvm::ArrayRef<mlir::Value> operands,
            llvm::ArrayRef<mlir::Value> results, mlir::Value row,
            int64_t across = 1);

  /// Elements as they lie in memory: of `lanes` columns from `column` (i32) on,
  /// a multiple of `lanes`; one where the operand does not depend on columns.
  /// Where there are several rows `lanes` is 1, and there is one of each row.
  mlir::Value load(size_t read, mlir::Value column, int64_t lanes);
  /// Brings what `load` reads at `column` to L2.
  void prefetch(size_t read, mlir::Value column);
  /// Stores what `load` would read; `value` is in compute type.
  void store(size_t result, mlir::Value value, mlir::Value column,
             int64_t lanes);

private:
  /// A tensor, at the elements of this row.
  struct Place {
    mlir::Value base;
    mlir::Type storage;
    llvm::ArrayRef<int64_t> strides; // of the column loops
    /// Whether neighbouring rows of a thread have elements of their own.
    bool dependsOnRow;
    /// In elements, of all offsets but the innermost loop's; 0: no offset.
    int64_t alignment;
  };
  Place place(mlir::Value base, mlir::Type storage, int64_t offset,
              llvm::ArrayRef<int64_t> strides, llvm::ArrayRef<mlir::Value> row);
  mlir::Value constant(int64_t value);
  llvm::SmallVector<mlir::Value> delinearize(mlir::Value number,
                                             llvm::ArrayRef<int64_t> extents);
  mlir::Value pointer(const Place &place, mlir::Value column);
  /// One per lane.
  llvm::SmallVector<mlir::Value> pointers(const Place &place,
                                          mlir::Value column, int64_t lanes);
  /// An element of each of the rows.
  mlir::Value loadAcross(const Place &place, mlir::Value column);
  bool isVector(const Place &place, int64_t lanes) const;
  bool staysInLoop(int64_t lanes) const;

  CudaKernelBuilder &k;
  const RowFusion &rows;
  const int64_t across;
  llvm::SmallVector<Place> reads, results;
  bool isWide = false; // element numbers need 64 bits
};

} // namespace minic::cuda

#endif // MINIC_COMPILER_TARGET_CUDA_ROWS_ROWMEMORY_H
