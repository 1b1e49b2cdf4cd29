// SPDX-License-Identifier: Apache-2.0
//
// RegisterEpilogue: from a warp's sums of wgmma to results of 16 bits, which
// are computed and rounded in the registers that have the sums.

#ifndef MINIC_COMPILER_TARGET_CUDA_GEMM_SM90_REGISTEREPILOGUE_H
#define MINIC_COMPILER_TARGET_CUDA_GEMM_SM90_REGISTEREPILOGUE_H

#include "compiler/target/cuda/EpilogueEmitter.h"
#include "compiler/target/cuda/gemm/ResultSpace.h"
#include "compiler/target/cuda/gemm_sm90/WarpGroupMultiply.h"

#include <map>

namespace minic::cuda {

/// For a geometry with finishesInRegisters(). A warp takes passColumns()
/// columns of its rows at a time through shared memory of its own, rounded, so
/// that it stores whole lines; sums as they are would take twice as much of
/// that memory's time.
class RegisterEpilogue {
public:
  /// For the kernel that `k` stands in; `memory`: the warp's passBytes() of
  /// shared memory; `place`: where the first of finishColumns() columns is.
  /// `shape` and `geometry` must outlive it.
  RegisterEpilogue(CudaKernelBuilder &k, const GemmSm90Geometry &geometry,
                   const kernel::FusionShape &shape,
                   const EpilogueEmitter &epilogue, const TileIndex &index,
                   mlir::Value memory, const WarpPlace &place)
      : k_(k), g_(geometry), space_{shape}, epilogue_(epilogue), index_(index),
        memory_(memory), place_(place) {}

  /// Whether results of `shape` can be made so: one, of 16 bits and in whole
  /// accesses, of sums and of values that rows have in common.
  static bool fits(const kernel::FusionShape &shape, int64_t lanes);

  /// Registers of a thread that hold what prefetch() loads.
  int64_t inputRegisters() const {
    return epilogue_.inputRegisters(/*lanes=*/2) * g_.finishColumns() / 8;
  }
  /// Loads what results need besides sums. Ahead of WarpGroupMultiply::finish
  /// tensor cores are busy meanwhile. Without it each pass loads its own.
  void prefetch() { prefetch(0, g_.finishColumns()); }
  /// `sums`: scalars in the order of WarpGroupMultiply::finish, of these
  /// columns. All lanes take part.
  void finish(llvm::ArrayRef<mlir::Value> sums);

private:
  void prefetch(int64_t firstColumn, int64_t columns);
  /// Makes results of the sums of one pass and writes them to the memory.
  void write(llvm::ArrayRef<mlir::Value> sums, int64_t firstRow,
             int64_t firstColumn);
  /// Stores them.
  void store(int64_t firstRow, int64_t firstColumn);
  /// In the result, of a column of the warp group's tile.
  mlir::Value columnOf(mlir::Value column);
  void syncWarp();
  mlir::Type storage() const;

  CudaKernelBuilder &k_;
  const GemmSm90Geometry &g_;
  ResultSpace space_;
  EpilogueEmitter epilogue_;
  TileIndex index_;
  /// By number of 8 columns, at the thread's two of them; no value depends on
  /// the row.
  std::map<int64_t, EpilogueEmitter> ofColumns_;
  mlir::Value memory_;
  WarpPlace place_;
};

/// The warp's memory where it begins where the stages do, at `shared`.
mlir::Value warpMemory(CudaKernelBuilder &k, const GemmSm90Geometry &geometry,
                       mlir::Value shared);

} // namespace minic::cuda

#endif // MINIC_COMPILER_TARGET_CUDA_GEMM_SM90_REGISTEREPILOGUE_H
