// SPDX-License-Identifier: Apache-2.0
//
// ClusterSums: adds up what the blocks of a cluster have of one tile.

#ifndef MINIC_COMPILER_TARGET_CUDA_GEMM_SM90_CLUSTERSUMS_H
#define MINIC_COMPILER_TARGET_CUDA_GEMM_SM90_CLUSTERSUMS_H

#include "compiler/target/cuda/gemm_sm90/WarpGroupMultiply.h"

namespace minic::cuda {

/// For a geometry with addsInCluster(). Of every warp group's tile a block
/// finishes finishColumns() columns, those of its number in the cluster: it
/// writes the sums of all others to shared memory of the block that finishes
/// them, and adds what others wrote there to its own, which stay in registers.
class ClusterSums {
public:
  /// `shared`: where stages begin, whose memory the sums take; `index.split`:
  /// the block's number in the cluster.
  ClusterSums(CudaKernelBuilder &k, const GemmSm90Geometry &geometry,
              mlir::Value shared, mlir::Value thread, const TileIndex &index)
      : k_(k), g_(geometry), shared_(shared), thread_(thread),
        rank_(index.split) {}

  /// `sums`: as WarpGroupMultiply::finish leaves them; becomes those of the
  /// block's columns in the same order, of the whole of K. All threads that
  /// have sums take part, in all blocks; nothing may be under way to stages.
  void add(llvm::SmallVector<mlir::Value> &sums);
  /// What all other threads of a block must do meanwhile.
  void watch();
  /// `place` in the tile of the block's first column.
  WarpPlace placeOfBlock(const WarpPlace &place);

private:
  /// The sums of columns that block number `rank` finishes.
  llvm::SmallVector<mlir::Value> partOf(llvm::ArrayRef<mlir::Value> sums,
                                        int64_t rank);
  /// Sends the sums of the others' columns; returns those of the block's.
  /// `rank`: the least that the block's number can still be.
  llvm::SmallVector<mlir::Value> sendOthers(llvm::ArrayRef<mlir::Value> sums,
                                            int64_t rank);
  void send(llvm::ArrayRef<mlir::Value> part, int64_t from, int64_t to);
  /// Where the thread's values number 4 * `quad` and on of a sender are.
  mlir::Value address(int64_t sender, int64_t quad);

  CudaKernelBuilder &k_;
  const GemmSm90Geometry &g_;
  mlir::Value shared_, thread_, rank_;
};

} // namespace minic::cuda

#endif // MINIC_COMPILER_TARGET_CUDA_GEMM_SM90_CLUSTERSUMS_H
