// SPDX-License-Identifier: Apache-2.0
//
// TileOps: the instructions of AMX, with fixed numbers of tiles.
//
// Tiles are state of the thread, as registers are to an assembler: no value of
// the IR. LLVM keeps the order of what is written here. A kernel numbers its
// tiles itself, configures them where it begins and releases them where it
// ends; the functions that it calls share them.

#ifndef MINIC_COMPILER_TARGET_CPU_TILEOPS_H
#define MINIC_COMPILER_TARGET_CPU_TILEOPS_H

#include "compiler/target/codegen/KernelBuilder.h"

namespace minic::cpu {

class TileOps {
public:
  explicit TileOps(KernelBuilder &builder) : k_(builder) {}

  /// ldtilecfg: tile number i has rows[i] rows of 64 bytes; those of 0 rows are
  /// not used. Uses memory of the stack of the function whose entry block is
  /// `entry`. All tiles are zero then.
  void configure(mlir::Block *entry, llvm::ArrayRef<int64_t> rows);
  /// Without this every switch of threads would save the tiles.
  void release();

  void zero(int tile);
  /// Rows `strideBytes` (an i64) apart. `passing`: what is read once and had
  /// better not displace what L1 holds (tileloaddt1).
  void load(int tile, mlir::Value from, mlir::Value strideBytes, bool passing);
  void store(int tile, mlir::Value to, mlir::Value strideBytes);
  /// Adds the products of pairs of bf16 of `lhs` and `rhs` to `sums` of f32, or
  /// those of quads of i8 to sums of i32.
  void multiplyAdd(int sums, int lhs, int rhs, mlir::Type elements);

private:
  mlir::Value number(int tile);
  void call(llvm::StringRef intrinsic, mlir::ValueRange operands);

  KernelBuilder &k_;
};

} // namespace minic::cpu

#endif // MINIC_COMPILER_TARGET_CPU_TILEOPS_H
