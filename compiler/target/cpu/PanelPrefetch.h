// SPDX-License-Identifier: Apache-2.0
//
// PanelPrefetch: while register tiles multiply one panel of packed weights,
// they fetch the next one into L2.

#ifndef MINIC_COMPILER_TARGET_CPU_PANELPREFETCH_H
#define MINIC_COMPILER_TARGET_CPU_PANELPREFETCH_H

#include "compiler/target/cpu/KernelAbi.h"

namespace minic::cpu {

/// Panels lie one behind the other. Each of the tiles that meet a panel fetches
/// an equal part of the next one, and each iteration of a tile's loop a share
/// of that part. Behind the last panel is none: to ask for it does no harm.
struct PanelPrefetch {
  int64_t panelBytes = 0;
  /// What one iteration reads of its own panel.
  int64_t iterationBytes = 0;
  int64_t tilesPerPanel = 1;

  /// Cache lines that one iteration fetches.
  int64_t linesPerIteration() const;
  /// What is fetched by tile `number` of those that meet `panel`.
  mlir::Value partOfNext(KernelBuilder &k, mlir::Value panel,
                         mlir::Value number) const;
  /// Fetches an iteration's share of `part`: as far into it as `now` is into
  /// the tile's own panel, counted in iterations.
  void fetch(KernelBuilder &k, mlir::Value part, mlir::Value panel,
             mlir::Value now) const;
};

/// Fetches `lines` cache lines from `from` on into L2, for reading.
void fetchLines(KernelBuilder &k, mlir::Value from, int64_t lines);

} // namespace minic::cpu

#endif // MINIC_COMPILER_TARGET_CPU_PANELPREFETCH_H
