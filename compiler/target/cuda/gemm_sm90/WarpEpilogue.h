// SPDX-License-Identifier: Apache-2.0
//
// WarpEpilogue: from a warp's sums of wgmma to the results, without a barrier
// of several warps.

#ifndef MINIC_COMPILER_TARGET_CUDA_GEMM_SM90_WARPEPILOGUE_H
#define MINIC_COMPILER_TARGET_CUDA_GEMM_SM90_WARPEPILOGUE_H

#include "compiler/target/cuda/EpilogueEmitter.h"
#include "compiler/target/cuda/gemm_sm90/GemmSm90Geometry.h"

namespace minic::cuda {

/// A warp has 16 of every 64 rows of its team's tile. It takes some columns of
/// them at a time through shared memory of its own, so that its accesses to
/// results and to the epilogue's operands are contiguous.
class WarpEpilogue {
public:
  /// For the kernel that `k` stands in; `memory`: the warp's passBytes() of
  /// shared memory, `warp`: its number in the team.
  WarpEpilogue(CudaKernelBuilder &k, const GemmSm90Geometry &geometry,
               const EpilogueEmitter &epilogue, mlir::Value memory,
               mlir::Value warp, mlir::Value lane)
      : k_(k), g_(geometry), epilogue_(epilogue), memory_(memory), warp_(warp),
        lane_(lane) {}

  /// Loads what the first pass needs besides sums, if there are registers for
  /// all of it: tensor cores are busy meanwhile.
  void prefetch(const TileIndex &index);
  /// `sums`: scalars in the order of WarpGroupMultiply::finish. All lanes take
  /// part.
  void finish(llvm::ArrayRef<mlir::Value> sums, const TileIndex &index);

private:
  /// One pass: passColumns() columns from `firstColumn` on, of the warp's rows
  /// among the 64 from `firstRow` of the tile on.
  void pass(llvm::ArrayRef<mlir::Value> sums, const TileIndex &index,
            int64_t firstRow, int64_t firstColumn);
  void write(llvm::ArrayRef<mlir::Value> sums, int64_t firstRow,
             int64_t firstColumn);
  void syncWarp();

  /// A lane's access of a pass: where its sums are, whether it is inside (null
  /// for always), and what it needs besides sums.
  struct Access {
    mlir::Value from, inside;
    EpilogueEmitter epilogue;
  };
  Access load(const TileIndex &index, mlir::Value number, int64_t firstRow,
              int64_t firstColumn);
  /// accessesAtOnce() of them, from number `first` on.
  std::vector<Access> loadFrom(mlir::Value first, const TileIndex &index,
                               int64_t firstRow, int64_t firstColumn);
  void store(Access &access);
  /// Floats from `row` and `column`, the first of one of a lane's halves of an
  /// access, to the memory's beginning.
  mlir::Value place(mlir::Value row, mlir::Value column);
  /// Floats from the first half of an access to the second, 0 where a lane's
  /// columns are one piece.
  int64_t halfDistance() const {
    return g_.lanes == 8 ? g_.passColumns() / 2 + 4 : 0;
  }

  CudaKernelBuilder &k_;
  const GemmSm90Geometry &g_;
  EpilogueEmitter epilogue_;
  mlir::Value memory_, warp_, lane_;
  /// Of the first pass, where they were loaded ahead.
  std::vector<Access> ofFirst_;
};

} // namespace minic::cuda

#endif // MINIC_COMPILER_TARGET_CUDA_GEMM_SM90_WARPEPILOGUE_H
