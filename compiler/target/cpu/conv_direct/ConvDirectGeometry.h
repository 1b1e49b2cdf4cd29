// SPDX-License-Identifier: Apache-2.0
//
// ConvDirectGeometry: the numbers that follow from a convolution and a
// schedule.

#ifndef MINIC_COMPILER_TARGET_CPU_CONV_DIRECT_CONVDIRECTGEOMETRY_H
#define MINIC_COMPILER_TARGET_CPU_CONV_DIRECT_CONVDIRECTGEOMETRY_H

#include "compiler/target/cpu/PanelPrefetch.h"
#include "compiler/target/cpu/conv_direct/ConvDirectSchedule.h"
#include "dialects/kernel/FusionShape.h"

namespace minic::cpu {

/// Lanes of the vectors that kernels are written in. Narrower machines split
/// them.
constexpr int64_t convLanes = 16;

/// Taps and channels per iteration of an NHWC tile's inner loop.
constexpr int64_t nhwcStepsPerIteration = 4;

/// A line is the part of the result with one n and one p: Q pixels of all
/// channels. In NHWC its register tiles are pixels (rows) by output channels
/// (columns); the filter is in panels of columns, [panel][r][s][c][panelWidth].
/// In NCHW they are output channels by pixels; panels are of rows,
/// [panel][c][r][s] [panelWidth].
///
/// A tile stays within a group, except where each group is one channel in and
/// out: in NHWC lanes are then groups, all of one kind ("depthwise").
struct ConvDirectGeometry {
  kernel::ConvShape conv;
  ConvDirectSchedule schedule;
  bool isNhwc = true;
  bool isDepthwise = false;
  /// Groups that tiles keep apart, and input and output channels of one.
  int64_t groups = 1, groupInputs = 0, groupOutputs = 0;
  int64_t panelWidth = 0;
  /// Panels that begin within a group cannot be cut at its end: then all of the
  /// filter is one panel, and tiles are cut out of it.
  bool isOnePanel = false;
  /// Tile rows: pixels of a line or channels of a group in `tiles` tiles, the
  /// first `tallTiles` of them of heights().front().
  int64_t tiles = 0, tallTiles = 0;
  llvm::SmallVector<int64_t> heights;
  /// Tiles along columns: of a group's channels, or of a line's pixels.
  int64_t columnTiles = 0;

  /// Fails with a reason where `schedule` cannot implement `shape`.
  static mlir::FailureOr<ConvDirectGeometry>
  get(const kernel::FusionShape &shape, const ConvDirectSchedule &schedule,
      std::string *reason);

  const graph::Conv2dGeometry &g() const { return conv.geometry; }
  int64_t vectors() const { return schedule.nr / convLanes; }
  int64_t panelElements() const { return g().reductionLength() * panelWidth; }
  int64_t lines() const { return g().batch * g().outputHeight; }
  /// Units: packed lines, or tiles of NHWC lines; 0 where the result has no
  /// elements. They are the launch's grid, or panels are.
  int64_t unitsPerLine() const { return schedule.pack ? 1 : tiles; }
  int64_t units() const;
  int64_t grid() const;
  bool hasColumnTail() const;
  /// Tiles that meet a panel one after another.
  int64_t tilesPerPanel() const;
  /// How NHWC tiles fetch the next panel of the filter.
  PanelPrefetch panelPrefetch() const;
  /// Sums of float32 are taken in chunks, which round to less than one over
  /// all.
  bool sumsInChunks() const;
  /// NHWC: whether tiles leave out lines of the filter that meet pads alone,
  /// which then are not packed.
  bool skipsPads() const;
  /// Lines of the filter that the lines of one image meet, in all.
  int64_t usedTapLines() const;
  /// NCHW: lines of the filter, of all channels, in a chunk.
  int64_t linesPerChunk() const;

  /// Where a line is in scratch, in f32: NHWC [r][w][c] of `packedWidth`
  /// pixels; NCHW [c][r][phase][packedWidth], where a phase is every
  /// strideWidth-th pixel, so that what tap s reads for neighbouring pixels of
  /// the result are neighbours: they are in phase s % phases(), from
  /// s * dilationWidth / strideWidth on.
  int64_t packedWidth() const;
  int64_t phases() const;
  int64_t packedLineElements() const;
  /// Per thread; a multiple of 64.
  int64_t scratchBytes() const;
};

/// The layout that panels of the filter have.
kernel::LayoutAttr getFilterLayout(const ConvDirectGeometry &geometry);

} // namespace minic::cpu

#endif // MINIC_COMPILER_TARGET_CPU_CONV_DIRECT_CONVDIRECTGEOMETRY_H
