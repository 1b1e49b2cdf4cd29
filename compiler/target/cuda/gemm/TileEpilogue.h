// SPDX-License-Identifier: Apache-2.0
//
// TileEpilogue: from a block's tile of sums in shared memory to the results.

#ifndef MINIC_COMPILER_TARGET_CUDA_GEMM_TILEEPILOGUE_H
#define MINIC_COMPILER_TARGET_CUDA_GEMM_TILEEPILOGUE_H

#include "compiler/target/cuda/EpilogueEmitter.h"
#include "compiler/target/cuda/gemm/ResultSpace.h"
#include "compiler/target/cuda/gemm/TileRaster.h"

namespace minic::cuda {

/// A tile of f32 sums in shared memory, and the block that reads it.
struct TileOfSums {
  int64_t rows = 0, columns = 0;
  /// Floats from one row to the next.
  int64_t pitch = 0;
  /// Tiles one after the other that are to be added up, in this order.
  int64_t copies = 1;
  /// Columns per access: they divide N and `columns`.
  int64_t lanes = 1;
  int64_t threads = 0;

  /// Of an access's sums: a scalar for one lane.
  mlir::Type sumType(mlir::OpBuilder &b) const {
    mlir::Type f32 = b.getF32Type();
    return lanes == 1 ? f32 : mlir::VectorType::get(lanes, f32);
  }
};

/// Reads sums by rows, so that a warp's accesses to results and to the
/// epilogue's operands are contiguous. All threads of the block take part.
///
/// What results need besides sums is loaded for several accesses ahead of the
/// first store: behind one a load would wait, and each take as long as L2 does.
class TileEpilogue {
public:
  /// For the block at `index` of `raster`.
  TileEpilogue(CudaKernelBuilder &builder, const TileOfSums &tile,
               const TileRaster &raster, const kernel::FusionShape &shape,
               mlir::Value thread, const TileIndex &index,
               const EpilogueEmitter &epilogue)
      : k_(builder), tile_(tile), raster_(raster), gemm_(*shape.gemm),
        space_{shape}, thread_(thread), index_(index), epilogue_(epilogue),
        sharers_(raster.clustered ? raster.splits : 1) {}

  /// Loads what the first accesses need besides sums, as far as `registers`
  /// more registers reach. Earlier launches must be complete.
  void prefetch(int64_t registers);

  /// The tile at `shared` becomes results. The barrier that makes it visible is
  /// the caller's.
  ///
  /// Where blocks share the tile they either meet in memory: each writes its
  /// sums to `workspace`, and the one that arrives last, counted in `counters`,
  /// adds them in the order of splits and leaves the counter at zero. Or they
  /// are a cluster: each adds up its rows, in the order of splits, from the
  /// shared memory of all, and no barrier is needed ahead.
  void finish(mlir::Value shared, mlir::Value workspace, mlir::Value counters);

private:
  /// One access of a thread: its number in the tile, row and column.
  struct Access {
    mlir::Value number, row, column;
  };
  Access access(mlir::Value pass);
  /// Of this block.
  int64_t accesses() const {
    return tile_.rows / sharers_ * tile_.columns / tile_.lanes;
  }
  int64_t passes() const {
    return (accesses() + tile_.threads - 1) / tile_.threads;
  }
  /// Accesses whose operands are loaded together.
  int64_t atOnce() const;
  /// Calls `body` for the thread's accesses, `unroll` at a time; `isFirst` for
  /// the first of all.
  void
  forEach(int64_t unroll,
          llvm::function_ref<void(llvm::ArrayRef<Access>, bool isFirst)> body);
  /// Whether an access is one of the tile's and inside the result; null for
  /// always.
  mlir::Value isInside(const Access &access);
  mlir::Value isInTile(const Access &access);
  /// The sum over `tiles` of shared memory, each of tile_.copies.
  mlir::Value loadSums(llvm::ArrayRef<mlir::Value> tiles, const Access &access);
  void finishFrom(llvm::ArrayRef<mlir::Value> tiles);
  void finishCluster(mlir::Value shared);
  void finishSplit(mlir::Value shared, mlir::Value workspace,
                   mlir::Value counters);
  /// Loads what the access needs besides sums; of one that is not inside what
  /// another needs.
  EpilogueEmitter load(const Access &access);
  /// Stores what follows from `sums`, if the access is inside.
  void store(const Access &access, EpilogueEmitter &epilogue,
             llvm::function_ref<mlir::Value()> sums);

  CudaKernelBuilder &k_;
  TileOfSums tile_;
  const TileRaster &raster_;
  const kernel::GemmShape &gemm_;
  ResultSpace space_;
  mlir::Value thread_;
  const TileIndex &index_;
  EpilogueEmitter epilogue_;
  /// Blocks of a cluster that have such a tile each, and that share the work on
  /// their sum by rows.
  int64_t sharers_;
  /// Of the first accesses: see prefetch().
  std::vector<EpilogueEmitter> early_;
};

} // namespace minic::cuda

#endif // MINIC_COMPILER_TARGET_CUDA_GEMM_TILEEPILOGUE_H
