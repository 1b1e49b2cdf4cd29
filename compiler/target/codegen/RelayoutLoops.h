// SPDX-License-Identifier: Apache-2.0
//
// RelayoutLoops: a #kernel.layout as loops that write memory in order.

#ifndef MINIC_COMPILER_TARGET_CODEGEN_RELAYOUTLOOPS_H
#define MINIC_COMPILER_TARGET_CODEGEN_RELAYOUTLOOPS_H

#include "dialects/kernel/Kernel.h"

namespace minic {

/// Physical dimensions from outermost to innermost. The innermost are written
/// as vectors (`lanes`); the others are counted by one number, the group.
struct RelayoutLoops {
  /// One physical dimension: its index times `step` is added to the logical
  /// index `dim`.
  struct Loop {
    int64_t dim, step, extent;
  };
  llvm::SmallVector<Loop> loops; // without the lanes
  /// The dimension that lanes run along, with step 1.
  Loop lanes;
  /// Where pairs of another dimension are innermost (bf16 words of K): two
  /// vectors are interleaved. Null otherwise.
  std::optional<Loop> pair;

  /// Of the logical tensor: extents, extents in memory, dense strides.
  llvm::SmallVector<int64_t> shape, padded, strides;

  static constexpr int64_t kGroupsPerTile = 128;

  int64_t groups() const;
  /// Elements written per group.
  int64_t groupElements() const {
    return lanes.extent * (pair ? pair->extent : 1);
  }
  int64_t tiles() const;

  static RelayoutLoops get(mlir::RankedTensorType packed);
};

} // namespace minic

#endif // MINIC_COMPILER_TARGET_CODEGEN_RELAYOUTLOOPS_H
