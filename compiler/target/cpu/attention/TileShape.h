// SPDX-License-Identifier: Apache-2.0
//
// TileShape: the queries that one call of a tile computes, and what of them
// lies where in the thread's memory.

#ifndef MINIC_COMPILER_TARGET_CPU_ATTENTION_TILESHAPE_H
#define MINIC_COMPILER_TARGET_CPU_ATTENTION_TILESHAPE_H

#include "compiler/target/cpu/attention/AttentionSchedule.h"

namespace minic::cpu {

/// How the mask differs between the rows of a tile.
enum class MaskKind { None, PerKey, PerRow };

MaskKind getMaskKind(const AttentionFusion &body);

/// A tile holds `rows` queries that share their keys. Where lanes are queries
/// and no query is left for a row, it computes the last one again.
struct TileShape {
  TileShape(const AttentionFusion &body, const AttentionSchedule &schedule,
            int64_t rows);

  /// Of every vector; without AVX-512 it takes two registers.
  static constexpr int64_t lanes = 16;
  /// Elements of bf16 of a line of AMX's tiles.
  static constexpr int64_t tileDepth = 32;
  bool lanesAreQueries;
  bool usesTiles; ///< of AMX, for products of bf16
  int64_t rows;
  int64_t vectors;   ///< that have a lane for each row
  int64_t step;      ///< keys whose scores registers hold
  int64_t blockKeys; ///< keys at a time, a multiple of `step`
  /// Elements of a copied key, and of a row of the sums: multiples of `lanes`.
  int64_t keyColumns, sumColumns;
  /// Elements of a packed query or key: a multiple of a tile's.
  int64_t paddedDepth;
  /// Whether keys and values of a block are first copied as dense f32.
  bool copiesKeys, copiesValues;

  /// In f32 or i32 elements from the start of the thread's memory. Where lanes
  /// are queries, a row lies in neighbouring elements of a line [rows] each.
  struct {
    int64_t query;  ///< [keyColumns][rows] or [rows][keyColumns]
    int64_t scores; ///< [blockKeys][rows] or reverse; then weights
    int64_t mask;   ///< of the scores
    int64_t sums;   ///< [rows][sumColumns] of weighted values
    /// [vectors * lanes]: the greatest score so far and with the present block,
    /// the sum of weights, what the block scales earlier sums by; the first key
    /// that a query sees, and the end of them.
    int64_t greatest, next, total, factor, first, end;
    int64_t laneGreatest; ///< [rows][lanes] of keys: of the present block
    int64_t keys, values; ///< [blockKeys][keyColumns or sumColumns]
    /// As PackTiles has them, in bf16.
    int64_t queryTiles, keyTiles, valueTiles, weightTiles;
  } at;
  /// From the score of a query to that of the next, and of a key likewise.
  int64_t scoreStrideOfRow() const { return lanesAreQueries ? 1 : blockKeys; }
  int64_t scoreStrideOfKey() const { return lanesAreQueries ? rows : 1; }
  /// What a part of the keys leaves: greatest, totals and sums.
  int64_t stateFloats() const {
    return 2 * vectors * lanes + rows * sumColumns;
  }
  int64_t scratchBytes;
  /// Vectors of queries whose scores of `step` keys fit into the registers:
  /// all, or one.
  int64_t vectorsAtOnce() const {
    return isWide || step * vectors * 2 <= 12 ? vectors : 1;
  }
  bool isWide = true; ///< 32 registers of 16 lanes, not 16 of 8
};

/// The tiles of one group of queries, those that share one head of keys: the
/// first ones have one vector, or one row, more than the others.
struct AttentionTiles {
  AttentionTiles(const AttentionFusion &body,
                 const AttentionSchedule &schedule);

  int64_t groups, groupRows; ///< B * G, and queries of each
  int64_t perGroup;          ///< tiles
  int64_t tallTiles;         ///< of them
  int64_t split;             ///< parts of the keys of each
  /// Of the tall tiles if there are any, then of the short ones.
  llvm::SmallVector<TileShape, 2> shapes;

  /// Parts count.
  int64_t count() const { return groups * perGroup * split; }
  int64_t scratchBytes() const;
  /// Of all parts of one tile.
  int64_t stateBytes() const;
};

} // namespace minic::cpu

#endif // MINIC_COMPILER_TARGET_CPU_ATTENTION_TILESHAPE_H
