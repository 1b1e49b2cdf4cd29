// SPDX-License-Identifier: Apache-2.0
//
// RunShare: threads share the tiles that a padded run's rows are in.

#ifndef MINIC_COMPILER_TARGET_CPU_RUNSHARE_H
#define MINIC_COMPILER_TARGET_CPU_RUNSHARE_H

#include "compiler/target/codegen/RunBound.h"
#include "compiler/target/cpu/KernelAbi.h"

namespace minic::cpu {

/// Rows behind those of a run are left out: how many there are says a word at
/// the address number `parameter` of the entry.
struct BoundedRows {
  RunBound bound;
  int64_t parameter;

  /// None where there is no bound. The word is behind `addresses` others.
  static std::optional<BoundedRows> get(const std::optional<RunBound> &bound,
                                        int64_t addresses);
  /// How many of `pieces`, the first ones, the run needs: an i64.
  mlir::Value count(KernelBuilder &k, const KernelEntry &entry,
                    int64_t pieces) const;
};

/// Tiles are numbered as results lie in memory, and only the first `needed`
/// (i64) of `all` are to be computed: makes the range of `entry` the same share
/// of these, so that threads have as much to do as each other.
void shareTiles(KernelBuilder &k, KernelEntry &entry, mlir::Value needed,
                int64_t all);

/// The same for tiles of `tile` of `pieces`; nothing without `rows`.
void shareTilesOfRun(KernelBuilder &k, KernelEntry &entry,
                     const std::optional<BoundedRows> &rows, int64_t pieces,
                     int64_t tile);

} // namespace minic::cpu

#endif // MINIC_COMPILER_TARGET_CPU_RUNSHARE_H
