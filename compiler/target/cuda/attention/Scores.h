// SPDX-License-Identifier: Apache-2.0
//
// Scores: what a warp makes of products of queries and keys before their
// exponentials: scale, soft-cap, mask, and which keys are left out.

#ifndef MINIC_COMPILER_TARGET_CUDA_ATTENTION_SCORES_H
#define MINIC_COMPILER_TARGET_CUDA_ATTENTION_SCORES_H

#include "compiler/target/cuda/attention/BlockRows.h"

namespace minic::cuda {

/// Scores lie as TensorCore says: [row tile][8 keys][4].
class Scores {
public:
  /// Of the warp whose rows begin at `firstRow`.
  Scores(CudaKernelBuilder &builder, const AttentionGeometry &geometry,
         BlockRows &rows, mlir::Value firstRow, mlir::Value lane);

  /// Row number `i` of the thread, of 2 for each tile of rows.
  mlir::Value row(int64_t i) const { return rowOf[size_t(i)]; }
  int64_t count() const { return int64_t(rowOf.size()); }

  /// Replaces products by scores; the warp's keys begin at `firstKey`. A
  /// weight is 2^(score * factor()).
  void finish(mlir::Value firstKey, llvm::MutableArrayRef<mlir::Value> scores);
  double factor() const;
  /// The same for one product, without leaving out.
  mlir::Value scale(mlir::Value product);
  /// What a mask of floats adds to the score of key `key`.
  mlir::Value addend(mlir::Value row, mlir::Value key);
  /// Whether key `key`, one that there is, takes part for `row`.
  mlir::Value takesPart(mlir::Value row, mlir::Value key);

private:
  int64_t tilesOfKeys() const { return g.schedule.warpKeys() / 8; }
  mlir::Value constant(double value);
  /// Elements of the mask for row `i` at two neighbouring keys.
  std::pair<mlir::Value, mlir::Value> maskAt(mlir::Value base, mlir::Value key);
  void addMask(mlir::Value firstKey, llvm::MutableArrayRef<mlir::Value> scores);
  void cut(mlir::Value firstKey, llvm::MutableArrayRef<mlir::Value> scores);
  /// Calls `visit`(row of the thread, first key, two scores).
  void forEachPair(llvm::MutableArrayRef<mlir::Value> scores,
                   llvm::function_ref<void(int64_t, int64_t,
                                           llvm::MutableArrayRef<mlir::Value>)>
                       visit);

  CudaKernelBuilder &k;
  const AttentionGeometry &g;
  BlockRows &rows;
  mlir::Value inGroup; // lane % 4
  llvm::SmallVector<mlir::Value> rowOf, maskOf;
  llvm::SmallVector<KeyInterval> seen;
  KeyInterval seenByAll;
};

} // namespace minic::cuda

#endif // MINIC_COMPILER_TARGET_CUDA_ATTENTION_SCORES_H
