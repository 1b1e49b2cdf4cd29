// SPDX-License-Identifier: Apache-2.0
//
// TileEpilogue: from a block's tile of sums in shared memory to the results.

#ifndef MINIC_COMPILER_TARGET_CUDA_GEMM_TILEEPILOGUE_H
#define MINIC_COMPILER_TARGET_CUDA_GEMM_TILEEPILOGUE_H

#include "compiler/target/cuda/EpilogueEmitter.h"
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
  /// Blocks of a cluster that have such a tile each, and that share the work on
  /// their sum by rows.
  int64_t sharers = 1;

  /// Of an access's sums: a scalar for one lane.
  mlir::Type sumType(mlir::OpBuilder &b) const {
    mlir::Type f32 = b.getF32Type();
    return lanes == 1 ? f32 : mlir::VectorType::get(lanes, f32);
  }
  /// Of one block.
  int64_t accesses() const { return rows / sharers * columns / lanes; }
  int64_t passes() const { return (accesses() + threads - 1) / threads; }
};

/// Reads sums by rows, so that a warp's accesses to results and to the
/// epilogue's operands are contiguous. All threads of the block take part.
class TileEpilogue {
public:
  TileEpilogue(CudaKernelBuilder &builder, const TileOfSums &tile,
               const kernel::GemmShape &gemm, mlir::Value thread,
               const TileIndex &index)
      : k_(builder), tile_(tile), gemm_(gemm), thread_(thread), index_(index) {}

  /// The tile at `shared` becomes results. The barrier that makes it visible is
  /// the caller's.
  void finish(mlir::Value shared, EpilogueEmitter &epilogue);

  /// The same where `splits` blocks share the tile. Each writes its sums to
  /// `workspace`; the one that arrives last, counted in `counters`, adds them
  /// in the order of splits and leaves the counter at zero.
  void finishSplit(mlir::Value shared, EpilogueEmitter &epilogue,
                   const TileRaster &raster, mlir::Value workspace,
                   mlir::Value counters);

  /// The same where they are a cluster: each adds up its rows, in the order of
  /// splits, from the shared memory of all. The caller need not wait for its
  /// own threads' sums.
  void finishCluster(mlir::Value shared, EpilogueEmitter &epilogue,
                     int64_t splits);

private:
  /// One access of a thread: its number in the tile, row and column.
  struct Access {
    mlir::Value number, row, column;
  };
  Access access(mlir::Value pass);
  /// Calls `body` for the thread's accesses, `unroll` at a time.
  void forEach(int64_t unroll,
               llvm::function_ref<void(llvm::ArrayRef<Access>)> body);
  /// Whether an access is one of the tile's and inside the result; null for
  /// always.
  mlir::Value isInside(const Access &access);
  mlir::Value isInTile(const Access &access);
  /// The sum over `tiles` of shared memory, each of tile_.copies.
  mlir::Value loadSums(llvm::ArrayRef<mlir::Value> tiles, const Access &access);
  void finishFrom(llvm::ArrayRef<mlir::Value> tiles, EpilogueEmitter &epilogue);
  /// Stores what follows from `sums`, if the access is inside.
  void emit(const Access &access, llvm::function_ref<mlir::Value()> sums,
            EpilogueEmitter &epilogue);

  CudaKernelBuilder &k_;
  TileOfSums tile_;
  const kernel::GemmShape &gemm_;
  mlir::Value thread_;
  const TileIndex &index_;
};

} // namespace minic::cuda

#endif // MINIC_COMPILER_TARGET_CUDA_GEMM_TILEEPILOGUE_H
