// SPDX-License-Identifier: Apache-2.0
//
// PointwiseTiles: how a two-dimensional iteration space (rows, columns) is cut
// into a one-dimensional grid of tiles.

#ifndef MINIC_COMPILER_TARGET_CPU_POINTWISE_POINTWISETILES_H
#define MINIC_COMPILER_TARGET_CPU_POINTWISE_POINTWISETILES_H

#include <algorithm>
#include <cstdint>

namespace minic::cpu {

/// A tile is either whole rows, or a piece of one row where rows are long; a
/// block of both where operands are read across rows. Tiles are numbered row by
/// row.
struct PointwiseTiles {
  int64_t rows = 0, columns = 0; // of the space
  int64_t rowsPerTile = 1;
  int64_t columnsPerTile = 1; // a multiple of 64, or all columns
  int64_t tilesPerRow = 1;

  /// `tile`: elements per tile, about. `isTransposing`: an operand is strided
  /// along columns. The 16 lines that a vector of it touches hold its next 16
  /// rows as well, so a tile walks down them before it goes on.
  static PointwiseTiles get(int64_t rows, int64_t columns, int64_t tile,
                            bool isTransposing) {
    PointwiseTiles tiles;
    tiles.rows = rows;
    tiles.columns = columns;
    if (isTransposing && rows > 1) {
      tiles.rowsPerTile = std::min<int64_t>(rows, kTransposedRows);
      tiles.columnsPerTile = std::min(
          columns, std::max<int64_t>(64, tile / kTransposedRows / 64 * 64));
      tiles.tilesPerRow = columns == 0 ? 1
                                       : (columns + tiles.columnsPerTile - 1) /
                                             tiles.columnsPerTile;
    } else if (columns > tile + tile / 2) {
      tiles.columnsPerTile = std::max<int64_t>(64, tile / 64 * 64);
      tiles.tilesPerRow =
          (columns + tiles.columnsPerTile - 1) / tiles.columnsPerTile;
    } else {
      tiles.columnsPerTile = columns;
      tiles.rowsPerTile =
          std::max<int64_t>(1, columns > 0 ? tile / columns : 1);
    }
    return tiles;
  }

  static constexpr int64_t kTransposedRows = 16;

  /// Tiles of the grid; 0 for an empty space.
  int64_t count() const {
    return columns == 0 ? 0
                        : (rows + rowsPerTile - 1) / rowsPerTile * tilesPerRow;
  }
};

} // namespace minic::cpu

#endif // MINIC_COMPILER_TARGET_CPU_POINTWISE_POINTWISETILES_H
