// SPDX-License-Identifier: Apache-2.0
//
// Tiles, panels and layouts of a packed GEMM.

#include "compiler/target/cpu/gemm_packed/GemmGeometry.h"

#include "compiler/target/cpu/PackedRhs.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace minic::cpu {

FailureOr<GemmGeometry> GemmGeometry::get(const kernel::FusionShape &shape,
                                          const GemmPackedSchedule &schedule,
                                          std::string *reason) {
  GemmGeometry g;
  g.gemm = *shape.gemm;
  g.schedule = schedule;
  if (schedule.pairs && !g.gemm.lhsType.isBF16()) {
    if (reason) {
      *reason = "only bf16 is multiplied in pairs";
    }
    return failure();
  }
  g.kWords = llvm::divideCeil(g.gemm.k, g.wordElements());
  g.panelWords = g.kWords;
  g.batches = g.gemm.batchCount();
  g.panels = llvm::divideCeil(g.gemm.n, schedule.nr);
  g.tiles = llvm::divideCeil(g.gemm.m, schedule.mr);
  if (g.tiles > 0) {
    g.height = g.gemm.m / g.tiles;
    g.tallTiles = g.gemm.m % g.tiles;
  }
  g.blockTiles = schedule.tc == 0 ? std::max<int64_t>(g.tiles, 1) : schedule.tc;
  g.windows = windowsOf(shape);
  if (schedule.packLhs) {
    g.packedRows =
        llvm::PowerOf2Ceil(std::max<int64_t>(g.height + (g.tallTiles > 0), 1));
    g.packedWords = llvm::alignTo(g.kWords, gemmLanes);
  } else if (g.schedule.pairs && g.gemm.lhsStrideK != 1) {
    if (reason) {
      *reason = "pairs of a transposed bf16 lhs must be packed";
    }
    return failure();
  }
  return g;
}

int64_t GemmGeometry::scratchTileBytes() const {
  if (windows) {
    return heights().front() * gemm.k * 2;
  }
  return packedWords * packedRows * int64_t(sizeof(float));
}

int64_t GemmGeometry::scratchBytes() const {
  int64_t inScratch = std::min(blockTiles, tiles);
  return inScratch == 0 ? 0 : llvm::alignTo(inScratch * scratchTileBytes(), 64);
}

SmallVector<int64_t> GemmGeometry::heights() const {
  SmallVector<int64_t> result;
  if (tallTiles > 0) {
    result.push_back(height + 1);
  }
  if (tallTiles < tiles) {
    result.push_back(height);
  }
  return result;
}

SmallVector<int64_t> GemmGeometry::packedRhsBatchStrides() const {
  int64_t matrix = gemm.k * gemm.n;
  return llvm::map_to_vector(gemm.rhsBatchStrides, [&](int64_t stride) {
    return matrix == 0 ? 0 : stride / matrix * packedRhsElements();
  });
}

kernel::LayoutAttr getRhsLayout(const kernel::FusionShape &shape,
                                const GemmGeometry &g) {
  return getPanelLayout(shape, g.schedule.nr, g.wordElements(),
                        g.panelWords * g.wordElements());
}

} // namespace minic::cpu
