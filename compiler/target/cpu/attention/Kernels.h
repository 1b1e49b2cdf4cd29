// SPDX-License-Identifier: Apache-2.0
//
// The kernels of a tile, each an internal function: scores of a few keys,
// weights of a block's scores, and sums of its weighted values.

#ifndef MINIC_COMPILER_TARGET_CPU_ATTENTION_KERNELS_H
#define MINIC_COMPILER_TARGET_CPU_ATTENTION_KERNELS_H

#include "compiler/target/cpu/attention/TileCode.h"

namespace minic::cpu {

/// What an element of a key or of a value costs to reach.
struct RowStrides {
  int64_t row, element; ///< in elements, f32 where they were copied
};
RowStrides getKeyStrides(const AttentionFusion &body, const TileShape &shape);
RowStrides getValueStrides(const AttentionFusion &body, const TileShape &shape);

/// void(scratch, key, s, j, mask): writes the scores of `keys` keys from `key`
/// on, f32 and number `s` of all, as columns j... of the block, times log2(e),
/// -infinity for what is left out; and their greatest into `next`. `mask`
/// points to the element of key s if it differs by key alone.
mlir::LLVM::LLVMFuncOp emitScoreKernel(mlir::OpBuilder &builder,
                                       mlir::Location loc,
                                       mlir::ModuleOp device,
                                       llvm::StringRef name,
                                       const AttentionFusion &body,
                                       const TileShape &shape, int64_t keys);

/// The same where lanes are elements of keys, of up to 16 keys; `mask` is not
/// used.
mlir::LLVM::LLVMFuncOp emitDotKernel(mlir::OpBuilder &builder,
                                     mlir::Location loc, mlir::ModuleOp device,
                                     llvm::StringRef name,
                                     const AttentionFusion &body,
                                     const TileShape &shape, int64_t keys);

/// void(scratch, count): makes weights of the block's scores, and brings
/// `greatest`, `total` and `factor` up to date.
mlir::LLVM::LLVMFuncOp
emitWeightKernel(mlir::OpBuilder &builder, mlir::Location loc,
                 mlir::ModuleOp device, llvm::StringRef name,
                 const AttentionFusion &body, const TileShape &shape);

/// void(scratch, value, count): scales the sums by `factor` and adds the
/// weighted values of the block. `skipsZeros`: what has the weight 0 may be NaN
/// or infinite.
mlir::LLVM::LLVMFuncOp emitValueKernel(mlir::OpBuilder &builder,
                                       mlir::Location loc,
                                       mlir::ModuleOp device,
                                       llvm::StringRef name,
                                       const AttentionFusion &body,
                                       const TileShape &shape, bool skipsZeros);

/// The same by the tiles of AMX, whose queries and keys are packed (PackTiles):
/// void(scratch, number, count, mask) for the `count` keys of a block, of which
/// the first is `number` of all.
mlir::LLVM::LLVMFuncOp
emitTileScoreKernel(mlir::OpBuilder &builder, mlir::Location loc,
                    mlir::ModuleOp device, llvm::StringRef name,
                    const AttentionFusion &body, const TileShape &shape);

/// void(scratch, count): what the value kernel does, by tiles, of packed
/// values.
mlir::LLVM::LLVMFuncOp
emitTileValueKernel(mlir::OpBuilder &builder, mlir::Location loc,
                    mlir::ModuleOp device, llvm::StringRef name,
                    const AttentionFusion &body, const TileShape &shape);

/// Whether one of `count` values from `value` on is not finite, an i1.
mlir::Value emitHasNotFinite(TileCode &code, mlir::Value value,
                             mlir::Value count);

} // namespace minic::cpu

#endif // MINIC_COMPILER_TARGET_CPU_ATTENTION_KERNELS_H
