// SPDX-License-Identifier: Apache-2.0
//
// LeftOutValues: results that a key which takes no part made NaN.

#ifndef MINIC_COMPILER_TARGET_CUDA_ATTENTION_LEFTOUTVALUES_H
#define MINIC_COMPILER_TARGET_CUDA_ATTENTION_LEFTOUTVALUES_H

#include "compiler/target/cuda/attention/OnlineSoftmax.h"
#include "compiler/target/cuda/attention/Scores.h"

namespace minic::cuda {

/// A key that is left out has the weight 0, and 0 times a value that is not
/// finite is NaN. Tensor cores multiply all keys of a block, so such results
/// are computed again, one by one and slowly, from the keys that take part.
class LeftOutValues {
public:
  LeftOutValues(CudaKernelBuilder &builder, const AttentionGeometry &geometry,
                BlockRows &rows, Scores &scores, OnlineSoftmax &softmax)
      : k(builder), g(geometry), rows(rows), scores(scores), softmax(softmax) {}

  /// NaN where one of `sums` is not finite.
  mlir::Value check(llvm::ArrayRef<mlir::Value> sums);
  /// Results of a row, stored already: `tiles` pairs of neighbours, 8 columns
  /// apart from `column` on, and what check() said of their sums.
  void repair(mlir::Value row, mlir::Value column, int64_t tiles,
              const RowState &state, mlir::Value checked);

private:
  mlir::Value constant(double value);
  /// Of f32; NaN is none.
  mlir::Value isFinite(mlir::Value value);
  mlir::Value load(const AttentionFusion::Access &access, mlir::Value base,
                   int64_t stride, mlir::Value index);
  void repairOne(mlir::Value row, mlir::Value column, const RowState &state);
  mlir::Value weigh(mlir::Value row, mlir::Value key, const RowState &state);
  mlir::Value valueAt(mlir::Value key, mlir::Value column);

  CudaKernelBuilder &k;
  const AttentionGeometry &g;
  BlockRows &rows;
  Scores &scores;
  OnlineSoftmax &softmax;
};

} // namespace minic::cuda

#endif // MINIC_COMPILER_TARGET_CUDA_ATTENTION_LEFTOUTVALUES_H
