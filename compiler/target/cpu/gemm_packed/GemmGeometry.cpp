// SPDX-License-Identifier: Apache-2.0
//
// Tiles, panels and layouts of a packed GEMM.

#include "compiler/target/cpu/gemm_packed/GemmGeometry.h"

#include "compiler/target/cpu/PackedRhs.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace minic::cpu {

/// Why products of `gemm` are not made as `schedule` says; empty if they are.
static StringRef whyNotMultiplied(const kernel::GemmShape &gemm,
                                  const GemmPackedSchedule &schedule) {
  bool isInteger = gemm.lhsType.isInteger(8);
  switch (schedule.dot) {
  case GemmDot::Fma:
    return isInteger ? "integers are multiplied in words" : "";
  case GemmDot::Pairs:
    if (!isInteger && !gemm.lhsType.isBF16()) {
      return "only bf16 and i8 are multiplied in pairs";
    }
    if (isInteger && schedule.packLhs) {
      return "pairs of i8 are not packed";
    }
    break;
  case GemmDot::Quads:
    if (!isInteger) {
      return "only i8 is multiplied in quads";
    }
    break;
  }
  bool isRowMajor = gemm.lhsStrideK == 1 || schedule.packLhs;
  return isRowMajor ? "" : "words of a transposed lhs must be packed";
}

FailureOr<GemmGeometry> GemmGeometry::get(const kernel::FusionShape &shape,
                                          const GemmPackedSchedule &schedule,
                                          std::string *reason) {
  GemmGeometry g;
  g.gemm = *shape.gemm;
  g.schedule = schedule;
  if (StringRef why = whyNotMultiplied(g.gemm, schedule); !why.empty()) {
    if (reason) {
      *reason = why.str();
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
  if (schedule.prefetch && (!schedule.panelsOutside || g.panels < 2)) {
    if (reason) {
      *reason = "there is no next panel to fetch while tiles meet one";
    }
    return failure();
  }
  g.blockTiles = schedule.tc == 0 ? std::max<int64_t>(g.tiles, 1) : schedule.tc;
  g.windows = windowsOf(shape);
  if (schedule.packLhs) {
    g.packedRows =
        llvm::PowerOf2Ceil(std::max<int64_t>(g.height + (g.tallTiles > 0), 1));
    g.packedWords = llvm::alignTo(g.kWords, gemmLanes);
  }
  return g;
}

StringRef GemmGeometry::neededFeature() const {
  if (schedule.dot == GemmDot::Quads) {
    return "avx512vnni";
  }
  return schedule.dot == GemmDot::Pairs && gemm.lhsType.isBF16() ? "avx512bf16"
                                                                 : "";
}

PanelPrefetch GemmGeometry::panelPrefetch() const {
  int64_t wordBytes =
      wordElements() * schedule.nr * gemm.rhsType.getIntOrFloatBitWidth() / 8;
  return {.panelBytes = panelWords * wordBytes,
          .iterationBytes = schedule.ku * wordBytes,
          .tilesPerPanel = std::clamp<int64_t>(tiles, 1, blockTiles)};
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
