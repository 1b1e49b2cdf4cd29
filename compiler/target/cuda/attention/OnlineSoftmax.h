// SPDX-License-Identifier: Apache-2.0
//
// OnlineSoftmax: maxima and sums of a thread's rows while blocks of keys pass
// by. (Milakov and Gimelshein, Online normalizer calculation for softmax,
// 2018; Dao, FlashAttention-2, 2023.)

#ifndef MINIC_COMPILER_TARGET_CUDA_ATTENTION_ONLINESOFTMAX_H
#define MINIC_COMPILER_TARGET_CUDA_ATTENTION_ONLINESOFTMAX_H

#include "compiler/target/cuda/KernelAbi.h"

namespace minic::cuda {

/// Of one row: the greatest score so far, and the sum of weights relative to
/// it, of the thread's own keys until finish().
struct RowState {
  mlir::Value greatest, sum;
};

/// Scores lie in TensorCore's tiles of 16x8, results likewise; rows are two for
/// each tile of rows. Weights are 2^(factor * (score - greatest)).
class OnlineSoftmax {
public:
  OnlineSoftmax(CudaKernelBuilder &builder, double factor)
      : k(builder), factor_(factor) {}

  RowState start();
  /// Replaces the scores of the thread's rows by weights. Returns what results
  /// so far are to be scaled by, to the new maxima, of each row.
  llvm::SmallVector<mlir::Value> add(llvm::MutableArrayRef<RowState> rows,
                                     llvm::MutableArrayRef<mlir::Value> scores);
  /// Scales the results of each row.
  void scale(llvm::ArrayRef<mlir::Value> factors,
             llvm::MutableArrayRef<mlir::Value> results);
  /// The sum over all threads of the row.
  void finish(RowState &row);
  /// `value` of all threads of the row added up.
  mlir::Value addUp(mlir::Value value);

  /// 2^(factor * (score - greatest)); 0 for -infinity, whatever `greatest`.
  mlir::Value weight(mlir::Value score, mlir::Value greatest);
  /// 1 / sum; 0 for a row without keys, whose results are 0.
  mlir::Value inverse(const RowState &row);
  /// The logarithm of the sum of exponentials; `scale`: of scores to what they
  /// stand for.
  mlir::Value logSumExp(const RowState &row, double scale);

private:
  mlir::Value constant(double value);
  /// -factor * greatest, 0 where that is infinite.
  mlir::Value shift(mlir::Value greatest);
  mlir::Value power(mlir::Value score, mlir::Value shift);
  mlir::Value ofNeighbour(mlir::Value value, int64_t flips);

  CudaKernelBuilder &k;
  double factor_;
};

} // namespace minic::cuda

#endif // MINIC_COMPILER_TARGET_CUDA_ATTENTION_ONLINESOFTMAX_H
