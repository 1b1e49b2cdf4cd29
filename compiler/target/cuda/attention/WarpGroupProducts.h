// SPDX-License-Identifier: Apache-2.0
//
// WarpGroupProducts: what one warp group multiplies by wgmma: 64 rows, 16 for
// each warp. A thread holds sums, and weights as a left operand, where
// TensorCore has them of a tile of 16 rows.

#ifndef MINIC_COMPILER_TARGET_CUDA_ATTENTION_WARPGROUPPRODUCTS_H
#define MINIC_COMPILER_TARGET_CUDA_ATTENTION_WARPGROUPPRODUCTS_H

#include "compiler/target/cuda/attention/AttentionGeometry.h"
#include "compiler/target/cuda/attention/TensorCore.h"

namespace minic::cuda {

/// Operands are where BlockCopies puts them. Sums belong to the tensor cores
/// from a product until awaitWgmma(); registers that a product takes have
/// passed through fenceWgmma().
class WarpGroupProducts {
public:
  WarpGroupProducts(CudaKernelBuilder &builder,
                    const AttentionGeometry &geometry, mlir::Value shared,
                    mlir::Value warp);

  /// Starts query * keys of the stage at `stage`, as one group of wgmma.
  llvm::SmallVector<mlir::Value> multiplyKeys(mlir::Value stage);
  /// Weights, rounded: 4 registers for each 16 keys.
  llvm::SmallVector<mlir::Value> pack(llvm::ArrayRef<mlir::Value> weights);
  /// Starts adding packed weights * values of the stage to `sums`, as one group
  /// of wgmma.
  void multiplyValues(mlir::Value stage, llvm::ArrayRef<mlir::Value> packed,
                      llvm::MutableArrayRef<mlir::Value> sums);

private:
  /// sums += four registers of weights * 16 keys' values.
  void multiplyStep(llvm::ArrayRef<mlir::Value> weights, mlir::Value values,
                    llvm::MutableArrayRef<mlir::Value> sums);
  /// A descriptor of stage 0, `stage` bytes on.
  mlir::Value at(mlir::Value descriptor, mlir::Value stage);
  mlir::LLVM::LLVMStructType sumsOf(int64_t columns);

  CudaKernelBuilder &k;
  const AttentionGeometry &g;
  TensorCore core;
  mlir::Value query, keys, values; // descriptors
};

} // namespace minic::cuda

#endif // MINIC_COMPILER_TARGET_CUDA_ATTENTION_WARPGROUPPRODUCTS_H
