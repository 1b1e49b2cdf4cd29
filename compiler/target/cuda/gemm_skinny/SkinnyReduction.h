// SPDX-License-Identifier: Apache-2.0
//
// SkinnyReduction: from the sums of warps and blocks to the results.

#ifndef MINIC_COMPILER_TARGET_CUDA_GEMM_SKINNY_SKINNYREDUCTION_H
#define MINIC_COMPILER_TARGET_CUDA_GEMM_SKINNY_SKINNYREDUCTION_H

#include "compiler/target/cuda/EpilogueEmitter.h"
#include "compiler/target/cuda/gemm_skinny/SkinnyGeometry.h"

namespace minic::cuda {

/// Adds what the warps of a block left in shared memory and, with split K, what
/// its blocks left in the workspace, always in the same order. Then the
/// epilogue.
class SkinnyReduction {
public:
  struct Memory {
    mlir::Value shared;    // sums of warp 0, then the others'
    mlir::Value workspace; // null without split
    mlir::Value counters;  // zeros, and left so
  };

  SkinnyReduction(CudaKernelBuilder &k, const SkinnyGeometry &geometry,
                  const kernel::FusionShape &shape, EpilogueEmitter &epilogue,
                  const Memory &memory);

  /// Loads the epilogue's operands while products are still being summed.
  void prefetch(mlir::Value tile);
  /// All warps have stored their sums of `tile`, part `part` of K.
  void emit(mlir::Value tile, mlir::Value part);

private:
  /// Calls `visit` for each group of lanes of the block's tile: its row and
  /// first column in the tile.
  void forEachGroup(
      llvm::function_ref<void(mlir::Value row, mlir::Value column)> visit);
  mlir::Value addWarps(mlir::Value row, mlir::Value column);
  mlir::Value addParts(mlir::Value tile, mlir::Value row, mlir::Value column);
  mlir::Value partAddress(mlir::Value tile, mlir::Value part, mlir::Value row,
                          mlir::Value column);
  /// Where the first block of a cluster gets the sums of number `part`.
  mlir::Value blockSums(mlir::Value part, mlir::Value row, mlir::Value column);
  void emitCluster(mlir::Value tile, mlir::Value part);
  void finish(mlir::Value tile, mlir::Value row, mlir::Value column,
              mlir::Value sum);
  /// True, in all threads, for the block that finishes `tile` last.
  mlir::Value isLastBlock(mlir::Value tile);

  int64_t groups() const { return g.gemm.m * g.schedule.columns / lanes; }
  bool isPrefetched() const { return groups() <= g.threads(); }
  mlir::Type laneType() const;

  CudaKernelBuilder &k;
  const SkinnyGeometry &g;
  EpilogueEmitter &epilogue;
  Memory memory;
  int64_t lanes;
};

} // namespace minic::cuda

#endif // MINIC_COMPILER_TARGET_CUDA_GEMM_SKINNY_SKINNYREDUCTION_H
