// SPDX-License-Identifier: Apache-2.0
//
// RowCopy: tiles of query, keys and values on their way to shared memory.

#ifndef MINIC_COMPILER_TARGET_CUDA_ATTENTION_ROWCOPY_H
#define MINIC_COMPILER_TARGET_CUDA_ATTENTION_ROWCOPY_H

#include "compiler/target/cuda/KernelAbi.h"
#include "compiler/target/cuda/attention/AttentionGeometry.h"

namespace minic::cuda {

/// Copies `tileRows` rows by cp.async, all threads of a block together. Rows
/// that do not exist, and elements that pad a row, become zero.
class RowCopy {
public:
  RowCopy(CudaKernelBuilder &builder, const SharedRows &rows, int64_t tileRows,
          int64_t threads, mlir::Value thread);

  /// The first of the thread's rows, and where in a row its bytes are.
  mlir::Value row() const { return row_; }
  mlir::Value bytes() const { return bytes_; }
  /// `source(first)` is where the thread's bytes of row row() + first lie;
  /// `rowsLeft`: rows of the tile that exist, null where all do.
  void issue(mlir::Value shared,
             llvm::function_ref<mlir::Value(int64_t)> source,
             mlir::Value rowsLeft);

private:
  /// Where the thread's bytes of its first row go.
  mlir::Value place();
  void copy(mlir::Value from, mlir::Value to, int64_t first,
            mlir::Value rowsLeft);

  CudaKernelBuilder &k;
  SharedRows rows;
  int64_t tileRows, rowsPerPass;
  mlir::Value row_, bytes_;
  /// Null where all threads have bytes of a row, and all of them.
  mlir::Value hasBytes, inside;
};

} // namespace minic::cuda

#endif // MINIC_COMPILER_TARGET_CUDA_ATTENTION_ROWCOPY_H
