// SPDX-License-Identifier: Apache-2.0
//
// The block of 32 rows and columns: its loop over K, and the epilogue of the
// block before.

#ifndef MINIC_COMPILER_TARGET_CPU_GEMM_AMX_BLOCKKERNEL_H
#define MINIC_COMPILER_TARGET_CPU_GEMM_AMX_BLOCKKERNEL_H

#include "compiler/target/cpu/KernelAbi.h"
#include "compiler/target/cpu/gemm_amx/GemmAmxGeometry.h"

namespace minic::cpu {

/// What blocks leave to each other, in a thread's scratch: the sums of the last
/// one as 32 rows of 32 f32 or i32, memory for stores that nobody reads, and
/// whose sums the tiles hold.
struct BlockState {
  /// i64 each: the row and column of the epilogue's space that the block begins
  /// at, and its rows, 0 where there is no block.
  struct Pending {
    mlir::Value row, column, rows;
  };
  KernelBuilder &k;
  mlir::Value memory;

  mlir::Value sums(int64_t row, int64_t column);
  mlir::Value unread();
  Pending load();
  void store(const Pending &pending);

private:
  mlir::Value field(int64_t number);
};

/// Adds `name`(lhs, panel, args, state, row, column, rows, prefetch): brings
/// the sums of the pending block from the tiles to `state`, multiplies `tiles`
/// (1 or 2) times 16 rows of lhs by a panel, and meanwhile applies the epilogue
/// to the pending block. The new block is pending then. `lhs` points to the
/// block, packed or not as the schedule says. `prefetch` is where this block
/// brings memory into L2 from.
mlir::LLVM::LLVMFuncOp
emitBlockKernel(mlir::OpBuilder &builder, mlir::Location loc,
                mlir::ModuleOp device, llvm::StringRef name,
                const kernel::FusionShape &shape,
                const GemmAmxGeometry &geometry, int64_t tiles);

/// Adds `name`(args, state): finishes the pending block.
mlir::LLVM::LLVMFuncOp emitLastEpilogue(mlir::OpBuilder &builder,
                                        mlir::Location loc,
                                        mlir::ModuleOp device,
                                        llvm::StringRef name,
                                        const kernel::FusionShape &shape,
                                        const GemmAmxGeometry &geometry);

/// Rows of each of the eight tiles, as a kernel configures them.
llvm::SmallVector<int64_t> rowsOfTiles(const GemmAmxGeometry &geometry);

/// Lines of 64 bytes that a step of a block brings into L2 ahead: a panel's,
/// divided among the blocks that meet the panel before it.
int64_t prefetchedLines(const GemmAmxGeometry &geometry);

} // namespace minic::cpu

#endif // MINIC_COMPILER_TARGET_CPU_GEMM_AMX_BLOCKKERNEL_H
