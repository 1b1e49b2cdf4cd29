// SPDX-License-Identifier: Apache-2.0
//
// TileRaster: which tile of the result each block of a launch computes.

#ifndef MINIC_COMPILER_TARGET_CUDA_GEMM_TILERASTER_H
#define MINIC_COMPILER_TARGET_CUDA_GEMM_TILERASTER_H

#include "compiler/target/cuda/KernelAbi.h"

namespace minic::cuda {

/// Where a block works; all i32.
struct TileIndex {
  mlir::Value tileM, tileN, split, batch;
  /// The tile's number among those of all batches.
  mlir::Value tile;
};

/// Blocks run through tiles first, then splits, then batches; in clusters
/// through splits, tiles, batches. Within a matrix `group` rows of tiles pass
/// before the next column, so that blocks that run together share what they
/// read.
struct TileRaster {
  int64_t tilesM = 0, tilesN = 0, splits = 1, batches = 1;
  int64_t group = 1;
  /// The blocks that share a tile are a cluster of neighbours: splits first.
  bool clustered = false;

  /// Whether blocks that share a tile meet in global memory.
  bool meetsInMemory() const { return splits > 1 && !clustered; }
  int64_t tiles() const { return tilesM * tilesN; }
  int64_t blocks() const { return tiles() * splits * batches; }
  /// Emits the arithmetic from the block's number.
  TileIndex locate(CudaKernelBuilder &k, mlir::Value block) const;
  /// The same where there are only `rows` (i32) rows of tiles, one split and
  /// one batch: tiles of these rows are the first ones.
  TileIndex locateOfRows(CudaKernelBuilder &k, mlir::Value block,
                         mlir::Value rows) const;
  /// The same for a number known here: [tileM, tileN, split, batch].
  std::array<int64_t, 4> locate(int64_t block) const;
};

} // namespace minic::cuda

#endif // MINIC_COMPILER_TARGET_CUDA_GEMM_TILERASTER_H
