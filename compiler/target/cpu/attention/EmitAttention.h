// SPDX-License-Identifier: Apache-2.0
//
// The code of one attention kernel.

#ifndef MINIC_COMPILER_TARGET_CPU_ATTENTION_EMITATTENTION_H
#define MINIC_COMPILER_TARGET_CPU_ATTENTION_EMITATTENTION_H

#include "compiler/target/cpu/RunShare.h"
#include "compiler/target/cpu/attention/TileShape.h"

#include "mlir/IR/BuiltinOps.h"

namespace minic::cpu {

/// Adds the entry `name` to `device`, for `tiles.count()` tiles, with
/// `tiles.scratchBytes()` of a thread's memory. `operands` is how many
/// addresses come before the `results`. With several parts of the keys, two
/// more follow: `tiles.stateBytes()` for each tile, and an i32 that is zero.
/// With `rows` what is behind the batch of a run is left out.
void emitAttention(mlir::ModuleOp device, mlir::Location loc,
                   llvm::StringRef name, const AttentionFusion &body,
                   const AttentionTiles &tiles, int64_t operands,
                   int64_t results,
                   const std::optional<BoundedRows> &rows = std::nullopt);

} // namespace minic::cpu

#endif // MINIC_COMPILER_TARGET_CPU_ATTENTION_EMITATTENTION_H
