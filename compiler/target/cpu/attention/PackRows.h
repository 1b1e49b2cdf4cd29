// SPDX-License-Identifier: Apache-2.0
//
// Copies of rows in the thread's memory, as f32: across lanes or as they are.

#ifndef MINIC_COMPILER_TARGET_CPU_ATTENTION_PACKROWS_H
#define MINIC_COMPILER_TARGET_CPU_ATTENTION_PACKROWS_H

#include "compiler/target/cpu/attention/TileCode.h"

namespace minic::cpu {

/// Elements of rows, `stride` apart.
struct RowElements {
  mlir::Type storage; ///< an i1 is 0 where it is true, else -infinity
  int64_t stride;
  mlir::Value count;
};

/// Writes column c of `rows`, one per lane, to `to` + c * shape.rows. Up to
/// lanes - 1 columns behind the last are written, too.
void emitColumns(TileCode &code, llvm::ArrayRef<mlir::Value> rows,
                 RowElements elements, mlir::Value to);

/// Writes `rows` rows from `from` on, `rowStride` apart, to `to`, `toStride`
/// apart; zeros up to there. `toStride` is a multiple of the lanes.
void emitRowCopies(TileCode &code, mlir::Value from, int64_t rowStride,
                   RowElements elements, mlir::Value rows, mlir::Value to,
                   int64_t toStride);

} // namespace minic::cpu

#endif // MINIC_COMPILER_TARGET_CPU_ATTENTION_PACKROWS_H
