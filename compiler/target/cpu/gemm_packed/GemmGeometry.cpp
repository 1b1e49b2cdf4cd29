// SPDX-License-Identifier: Apache-2.0
//
// Tiles, panels and layouts of a packed GEMM.

#include "compiler/target/cpu/gemm_packed/GemmGeometry.h"

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
  g.batches = g.gemm.batchCount();
  g.panels = llvm::divideCeil(g.gemm.n, schedule.nr);
  g.tiles = llvm::divideCeil(g.gemm.m, schedule.mr);
  if (g.tiles > 0) {
    g.height = g.gemm.m / g.tiles;
    g.tallTiles = g.gemm.m % g.tiles;
  }
  g.blockTiles = schedule.tc == 0 ? std::max<int64_t>(g.tiles, 1) : schedule.tc;
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

int64_t GemmGeometry::scratchBytes() const {
  int64_t bytes =
      std::min(blockTiles, tiles) * packedWords * packedRows * sizeof(float);
  return llvm::alignTo(bytes, 64);
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
  auto type = cast<RankedTensorType>(g.gemm.rhs.getType());
  int64_t rank = type.getRank();
  // The last two dimensions are [N, K] or [K, N].
  bool nFirst = true;
  if (auto matmul = dyn_cast<graph::MatmulOp>(shape.anchor)) {
    nFirst = matmul.getTransposeRhs();
  }
  int64_t n = nFirst ? rank - 2 : rank - 1, k = nFirst ? rank - 1 : rank - 2;
  auto order = llvm::to_vector(llvm::seq<int64_t>(0, rank - 2));
  order.append({n, k});
  SmallVector<int64_t> blockDims = {n}, blockSizes = {g.schedule.nr};
  if (g.schedule.pairs) {
    blockDims.push_back(k);
    blockSizes.push_back(2);
  }
  auto padded = llvm::to_vector(type.getShape());
  padded[n] = g.panels * g.schedule.nr;
  padded[k] = g.kWords * g.wordElements();
  return kernel::LayoutAttr::get(type.getContext(), order, blockDims,
                                 blockSizes, padded);
}

} // namespace minic::cpu
