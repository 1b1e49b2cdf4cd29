// SPDX-License-Identifier: Apache-2.0
//
// TileRows: which queries a tile has, where they and their keys lie, and which
// keys they see.

#ifndef MINIC_COMPILER_TARGET_CPU_ATTENTION_TILEROWS_H
#define MINIC_COMPILER_TARGET_CPU_ATTENTION_TILEROWS_H

#include "compiler/target/cpu/attention/TileCode.h"

namespace minic::cpu {

/// Which query a row is.
struct Query {
  mlir::Value head,
      row; // of the heads that share a key, and of those of a head
};

/// Code in a function (args, scratch, group, first); `operands` is how many
/// addresses come before the results'.
struct TileRows : TileCode {
  using Access = AttentionFusion::Access;

  TileRows(mlir::OpBuilder &builder, mlir::Location loc,
           const AttentionFusion &body, const TileShape &shape,
           int64_t operands, mlir::LLVM::LLVMFuncOp function);

  int64_t groupRows() const { return body.headsPerKey() * body.rows; }

  /// Of the element with index 0 of all that comes after batch and head: that
  /// of the tile's key; the first of the tile's for queries.
  mlir::Value addressOfKeys(const Access &operand);
  mlir::Value addressOfQueries(const Access &operand);
  mlir::Value addressOfResult(const Access &result);

  /// Of the row `query` at `base`.
  mlir::Value rowOf(const Access &access, mlir::Value base, const Query &query);
  /// Number `row` of the tile, or the last one that there is.
  Query queryAt(mlir::Value row);
  /// The rows of `lanes` queries from number `row` of the tile on.
  llvm::SmallVector<mlir::Value> rowsOf(const Access &access, mlir::Value base,
                                        mlir::Value row);

  /// Writes which keys each query sees, and gives the keys that some query
  /// does: from and to a multiple of the step, but not beyond the last key.
  std::pair<mlir::Value, mlir::Value> findKeys();

  mlir::Value args, scratch, first, batch, keyHead;

private:
  mlir::Value addressOf(const Access &access, int64_t argument, int64_t heads);
  mlir::Value integers(int64_t value);
  mlir::Value splat(mlir::Value i64);
  mlir::Value least(mlir::Value x, mlir::Value y);
  mlir::Value keyLength();
  mlir::Value positions(int64_t lane, mlir::Value length);

  const int64_t operands;
};

} // namespace minic::cpu

#endif // MINIC_COMPILER_TARGET_CPU_ATTENTION_TILEROWS_H
