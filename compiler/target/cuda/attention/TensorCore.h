// SPDX-License-Identifier: Apache-2.0
//
// TensorCore: fragments of 16-bit matrices and their products. With g = lane /
// 4 and t = lane % 4 a thread holds, of a 16x8 tile of sums, elements 2t and
// 2t + 1 of rows g and g + 8: which is also how it holds the left operand, so
// that a tile of results is the next product's operand as it is.

#ifndef MINIC_COMPILER_TARGET_CUDA_ATTENTION_TENSORCORE_H
#define MINIC_COMPILER_TARGET_CUDA_ATTENTION_TENSORCORE_H

#include "compiler/target/cuda/KernelAbi.h"

namespace minic::cuda {

/// Registers of one thread: 16x16 elements of a left operand, or 16 columns of
/// a right one.
using Fragment = llvm::SmallVector<mlir::Value, 4>;

class TensorCore {
public:
  /// `type`: bf16 or f16.
  TensorCore(CudaKernelBuilder &builder, mlir::Type type)
      : k(builder), type(type) {}

  /// Four 8x8 matrices (ldmatrix.x4), whose rows lanes 8j to 8j + 7 point to.
  Fragment load(mlir::Value pointer, bool isTransposed);
  /// sums += rows * columns; 4 sums and 2 registers of columns.
  void multiply(llvm::ArrayRef<mlir::Value> rows,
                llvm::ArrayRef<mlir::Value> columns,
                llvm::MutableArrayRef<mlir::Value> sums);
  /// Two f32, rounded, as one register.
  mlir::Value pack(mlir::Value low, mlir::Value high);

private:
  CudaKernelBuilder &k;
  mlir::Type type;
};

} // namespace minic::cuda

#endif // MINIC_COMPILER_TARGET_CUDA_ATTENTION_TENSORCORE_H
