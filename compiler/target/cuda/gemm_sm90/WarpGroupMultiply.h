// SPDX-License-Identifier: Apache-2.0
//
// WarpGroupMultiply: what one warp group does with a stage of shared memory.

#ifndef MINIC_COMPILER_TARGET_CUDA_GEMM_SM90_WARPGROUPMULTIPLY_H
#define MINIC_COMPILER_TARGET_CUDA_GEMM_SM90_WARPGROUPMULTIPLY_H

#include "compiler/target/cuda/gemm_sm90/GemmSm90Geometry.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

namespace minic::cuda {

/// Where a warp's sums are in its tile: it has 16 of every 64 rows of its warp
/// group, whose part of the tile begins at (`firstRow`, `firstColumn`).
struct WarpPlace {
  mlir::Value warp; // of its warp group
  mlir::Value lane;
  mlir::Value firstRow, firstColumn;
};

/// wgmma on both operands in shared memory, as SharedTile lays them out. Its
/// sums are a struct of f32 for every 64 rows of the warp group's tile. They
/// belong to the tensor cores from multiply() until wait().
class WarpGroupMultiply {
public:
  /// For the kernel that `builder` stands in; `shared`: the ring of stages.
  WarpGroupMultiply(CudaKernelBuilder &builder,
                    const GemmSm90Geometry &geometry, mlir::Value shared,
                    mlir::Value thread);

  llvm::SmallVector<mlir::Value> zeros();
  /// Starts adding the products of the stage at `position` of the ring to
  /// `sums`, as one group of wgmma. Where rhs stays, it is that of stage number
  /// `block` of K.
  void multiply(mlir::Value position, mlir::Value block,
                llvm::MutableArrayRef<mlir::Value> sums);
  /// Waits until at most `groups` groups of wgmma are under way. No sum is
  /// readable then: see finish().
  void wait(int64_t groups);
  /// Waits for all groups, and leaves readable scalars in `sums`.
  void finish(llvm::SmallVector<mlir::Value> &sums);
  /// Writes them to the tile of sums that begins at `shared`.
  void store(llvm::ArrayRef<mlir::Value> sums, mlir::Value shared);
  /// Where the thread's sums are in the tile.
  WarpPlace place() const { return {warp_, lane_, firstRow_, firstColumn_}; }

private:
  mlir::LLVM::LLVMStructType structType();
  mlir::Value step(mlir::Value sums, mlir::Value lhs, mlir::Value rhs);

  CudaKernelBuilder &k_;
  const GemmSm90Geometry &g_;
  /// The thread's warp in its group, and its lane.
  mlir::Value warp_, lane_;
  /// The warp group's place among the block's: the first row and column of its
  /// tile, and its part of K.
  mlir::Value firstRow_, firstColumn_, groupK_;
  mlir::Value lhs_, rhs_; // descriptors
};

} // namespace minic::cuda

#endif // MINIC_COMPILER_TARGET_CUDA_GEMM_SM90_WARPGROUPMULTIPLY_H
