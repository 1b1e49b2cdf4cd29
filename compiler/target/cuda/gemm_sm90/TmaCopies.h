// SPDX-License-Identifier: Apache-2.0
//
// TmaCopies: the copies by TMA that keep a ring of stages filled, and the
// barriers that say which stages are full and which empty.

#ifndef MINIC_COMPILER_TARGET_CUDA_GEMM_SM90_TMACOPIES_H
#define MINIC_COMPILER_TARGET_CUDA_GEMM_SM90_TMACOPIES_H

#include "compiler/target/cuda/gemm_sm90/GemmSm90Geometry.h"

namespace minic::cuda {

/// A place in the ring: which stage, and the parity of how often the ring was
/// passed; both i32.
struct RingPlace {
  mlir::Value stage, parity;
};

/// Stage `s` is full when its bytes have arrived, which its block expects. It
/// is empty when every warp group that reads it has left it, of all blocks that
/// are copied to: a block's copies reach the others' stages, too.
class TmaCopies {
public:
  /// For the kernel that `builder` stands in, of block `index` of the raster.
  /// Blocks of a cluster have neighbouring numbers.
  TmaCopies(CudaKernelBuilder &builder, KernelEntry entry,
            const GemmSm90Geometry &geometry, mlir::Value shared,
            const TileIndex &index);

  /// Stages [begin, end) of K are this block's.
  mlir::Value begin() const { return begin_; }
  mlir::Value end() const { return end_; }

  /// By the whole block, before anything else: barriers of all blocks that
  /// copies reach are ready.
  void initBarriers();
  /// By one thread: all copies of the block, as stages become empty. In a
  /// programmatic launch they wait for earlier launches and allow later ones;
  /// those of rhs wait only if a launch may write it (not `rhsIsConstant`).
  void produce(bool rhsIsConstant);
  /// By one thread, ahead of the first copy.
  void prefetchMaps();
  /// From here on copies are of `index`'s tile.
  void moveTo(const TileIndex &index) { index_ = index; }
  /// By one thread: says how many bytes the stage gets, and brings it stage
  /// number `block` of K of lhs and rhs.
  void expect(mlir::Value stage);
  void copyLhs(mlir::Value stage, mlir::Value block);
  void copyRhs(mlir::Value stage, mlir::Value block);
  /// By one thread, before any moveTo: brings the rhs that stays, which has the
  /// columns of the block's first tile as of all others.
  void copyKeptRhs();
  /// By whole warp groups: waits until it is there.
  void awaitKeptRhs();
  /// By one thread: waits until all have left the stage.
  void awaitEmpty(const RingPlace &place);
  /// By whole warp groups: waits until the stage is full.
  void awaitFull(const RingPlace &place);
  /// By whole warp groups that read nothing of the stage any more; `thread`:
  /// the thread's number in its group.
  void release(mlir::Value stage, mlir::Value thread);

  /// The barrier of a ping-pong's team.
  mlir::Value turn(mlir::Value team);

  RingPlace first();
  RingPlace next(const RingPlace &place);
  /// Where the stage begins, in bytes from the ring's beginning.
  mlir::Value position(mlir::Value stage);

private:
  mlir::Value map(bool isRhs);
  mlir::Value full(mlir::Value stage);
  mlir::Value empty(mlir::Value stage);
  mlir::Value kept();
  /// Where a box begins: coordinates, and of windows the tap's distance in
  /// columns and lines.
  struct BoxPlace {
    llvm::SmallVector<mlir::Value> at, tap;
  };
  BoxPlace rows(const TmaOperand &operand, mlir::Value firstRow,
                mlir::Value block);
  BoxPlace windows(const ImageMatrix &image, mlir::Value firstRow,
                   mlir::Value block);
  /// One box of `operand` to byte `to` of shared memory, for `barrier`;
  /// `sharers`: blocks that have a part each of what all of them get.
  void copy(const TmaOperand &operand, mlir::Value map, mlir::Value firstRow,
            int64_t sharers, mlir::Value to, mlir::Value barrier,
            mlir::Value block);

  CudaKernelBuilder &k_;
  KernelEntry entry_;
  const GemmSm90Geometry &g_;
  mlir::Value shared_, barriers_, rank_;
  TileIndex index_;
  mlir::Value begin_, end_;
};

} // namespace minic::cuda

#endif // MINIC_COMPILER_TARGET_CUDA_GEMM_SM90_TMACOPIES_H
