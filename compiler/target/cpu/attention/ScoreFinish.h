// SPDX-License-Identifier: Apache-2.0
//
// From the products of queries and keys to scores. All scores are times
// log2(e): weights are powers of two.

#ifndef MINIC_COMPILER_TARGET_CPU_ATTENTION_SCOREFINISH_H
#define MINIC_COMPILER_TARGET_CPU_ATTENTION_SCOREFINISH_H

#include "compiler/target/cpu/attention/TileCode.h"

namespace minic::cpu {

/// Whether it depends on a key's number whether a query sees it.
bool leavesOutByNumber(const AttentionFusion &body);

/// Scale and cap.
mlir::Value emitScaled(TileCode &code, mlir::Value product);

/// The mask: a float vector to add, or an i1 vector that says what stays; an i1
/// that was stored as f32 is 0 for that.
mlir::Value emitMasked(TileCode &code, mlir::Value score, mlir::Value mask);

/// All of it: the score of key `number` (i64) from its product, of the queries
/// from `lane` on. `mask` is null where there is none; `scratch` the thread's.
mlir::Value emitScore(TileCode &code, mlir::Value product, mlir::Value scratch,
                      mlir::Value number, mlir::Value mask, int64_t lane);

/// -infinity where `number` is not in [first, end); `first` may be null.
mlir::Value emitLeftOut(TileCode &code, mlir::Value score, mlir::Value number,
                        mlir::Value first, mlir::Value end);

} // namespace minic::cpu

#endif // MINIC_COMPILER_TARGET_CPU_ATTENTION_SCOREFINISH_H
