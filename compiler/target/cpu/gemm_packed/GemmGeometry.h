// SPDX-License-Identifier: Apache-2.0
//
// GemmGeometry: the numbers that follow from a problem and a schedule.

#ifndef MINIC_COMPILER_TARGET_CPU_GEMM_PACKED_GEMMGEOMETRY_H
#define MINIC_COMPILER_TARGET_CPU_GEMM_PACKED_GEMMGEOMETRY_H

#include "compiler/target/cpu/PanelPrefetch.h"
#include "compiler/target/cpu/WindowRows.h"
#include "compiler/target/cpu/gemm_packed/GemmPackedSchedule.h"
#include "dialects/kernel/FusionShape.h"

namespace minic::cpu {

/// Lanes of the vectors that kernels are written in. Narrower machines split
/// them.
constexpr int64_t gemmLanes = 16;

/// K is walked in words: one element, or as many as one instruction multiplies
/// and adds. M is covered by `tiles` tiles, the first `tallTiles` of
/// them `height + 1` rows high and the others `height`; N by `panels` panels.
struct GemmGeometry {
  kernel::GemmShape gemm;
  GemmPackedSchedule schedule;
  int64_t kWords = 0;
  /// Words of K that a panel of rhs has in memory, zeros at its end included.
  int64_t panelWords = 0;
  int64_t tiles = 0, tallTiles = 0, height = 0;
  int64_t panels = 0;
  int64_t batches = 1;
  /// Rows and K words of a packed lhs tile in scratch; a word is 4 bytes.
  int64_t packedRows = 0, packedWords = 0;
  /// Tiles per block.
  int64_t blockTiles = 0;
  /// Where lhs are windows: tiles of them are gathered in scratch, as rows.
  std::optional<WindowRows> windows;

  /// Fails with a reason where `schedule` cannot implement `shape`.
  static mlir::FailureOr<GemmGeometry> get(const kernel::FusionShape &shape,
                                           const GemmPackedSchedule &schedule,
                                           std::string *reason);

  /// Elements of K in a word.
  int64_t wordElements() const {
    return schedule.dot == GemmDot::Quads   ? 4
           : schedule.dot == GemmDot::Pairs ? 2
                                            : 1;
  }
  /// The CPU feature that words are multiplied with, beyond AVX2 and FMA; empty
  /// for none.
  llvm::StringRef neededFeature() const;
  int64_t vectors() const { return schedule.nr / gemmLanes; }
  /// Bytes of a tile in scratch.
  int64_t scratchTileBytes() const;
  /// Elements of one packed panel, and of one packed rhs matrix.
  int64_t panelElements() const {
    return panelWords * wordElements() * schedule.nr;
  }
  /// How tiles fetch the next panel.
  PanelPrefetch panelPrefetch() const;
  int64_t packedRhsElements() const { return panels * panelElements(); }
  /// True where the last panel is partly padding.
  bool hasColumnTail() const { return gemm.n % schedule.nr != 0; }
  /// Pieces that threads may take; 0 where the result has no elements.
  int64_t pieces() const {
    bool empty = tiles == 0 || panels == 0;
    return empty ? 0 : batches * (schedule.splitN ? panels : tiles);
  }
  /// Tiles of the launch's grid: the pieces, or one that is all of them.
  int64_t grid() const {
    return schedule.alone ? std::min<int64_t>(pieces(), 1) : pieces();
  }
  /// Per thread; a multiple of 64.
  int64_t scratchBytes() const;
  /// Heights that occur, tallest first.
  llvm::SmallVector<int64_t> heights() const;
  /// Elements from one rhs matrix to the next, per batch dimension.
  llvm::SmallVector<int64_t> packedRhsBatchStrides() const;
};

/// The layout that packed panels of rhs have.
kernel::LayoutAttr getRhsLayout(const kernel::FusionShape &shape,
                                const GemmGeometry &geometry);

} // namespace minic::cpu

#endif // MINIC_COMPILER_TARGET_CPU_GEMM_PACKED_GEMMGEOMETRY_H
