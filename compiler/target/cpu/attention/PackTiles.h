// SPDX-License-Identifier: Apache-2.0
//
// Queries, keys, values and weights in the thread's memory as the tiles of AMX
// want them: rows of 32 elements of bf16 that products are summed over, or rows
// of pairs of such elements.

#ifndef MINIC_COMPILER_TARGET_CPU_ATTENTION_PACKTILES_H
#define MINIC_COMPILER_TARGET_CPU_ATTENTION_PACKTILES_H

#include "compiler/target/cpu/attention/TileCode.h"

namespace minic::cpu {

/// Elements of bf16 of a line of a tile.
constexpr int64_t tileDepth = TileShape::tileDepth;

/// Where an array of TileShape::at begins, whose place is `elements` of f32.
inline mlir::Value memoryAt(TileCode &code, mlir::Value scratch,
                            int64_t elements) {
  return code.k.advance(scratch, elements, code.f32());
}

/// Writes 16 queries, whose `rows` begin there, to `to`: [tileDepth / 2 pairs
/// of elements][16 queries][2] for each tileDepth elements. Zeros behind the
/// depth.
void emitPackQueries(TileCode &code, llvm::ArrayRef<mlir::Value> rows,
                     mlir::Value to);

/// Writes `count` keys, `stride` elements apart, to [keys][paddedDepth].
void emitPackKeys(TileCode &code, mlir::Value from, int64_t stride,
                  mlir::Value count, mlir::Value to);

/// Writes `count` values likewise to [pairs of values][sumColumns][2]; zeros
/// for the keys from there to a multiple of tileDepth.
void emitPackValues(TileCode &code, mlir::Value from, int64_t stride,
                    mlir::Value count, mlir::Value to);

/// Rounds the weights of `count` keys, [keys][rows] in f32, to
/// [rows][blockKeys] in bf16; zeros likewise.
void emitPackWeights(TileCode &code, mlir::Value weights, mlir::Value count,
                     mlir::Value to);

} // namespace minic::cpu

#endif // MINIC_COMPILER_TARGET_CPU_ATTENTION_PACKTILES_H
