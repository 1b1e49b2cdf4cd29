// SPDX-License-Identifier: Apache-2.0
//
// From a block's number to its tile, at compile time and in the kernel.

#include "compiler/target/cuda/gemm/TileRaster.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace minic::cuda {

std::array<int64_t, 4> TileRaster::locate(int64_t block) const {
  int64_t rest = block / (clustered ? splits : tiles());
  int64_t at = clustered ? rest % tiles() : block % tiles();
  int64_t split = clustered ? block % splits : rest % splits;
  int64_t first = at / (group * tilesN) * group;
  int64_t rows = std::min(group, tilesM - first);
  int64_t inside = at % (group * tilesN);
  return {first + inside % rows, inside / rows, split,
          rest / (clustered ? tiles() : splits)};
}

TileIndex TileRaster::locate(CudaKernelBuilder &k, Value block) const {
  TileIndex index;
  Value at;
  if (clustered) {
    Value rest = k.div(block, splits);
    index.split = k.rem(block, splits);
    index.batch = k.div(rest, tiles());
    at = k.rem(rest, tiles());
  } else {
    Value rest = k.div(block, tiles());
    at = k.rem(block, tiles());
    index.split = k.rem(rest, splits);
    index.batch = k.div(rest, splits);
  }
  index.tile = k.add(k.mul(index.batch, tiles()), at);
  if (group >= tilesM) {
    index.tileM = k.rem(at, tilesM);
    index.tileN = k.div(at, tilesM);
    return index;
  }
  Value first = k.mul(k.div(at, group * tilesN), group);
  Value inside = k.rem(at, group * tilesN);
  if (tilesM % group == 0) {
    index.tileM = k.add(first, k.rem(inside, group));
    index.tileN = k.div(inside, group);
    return index;
  }
  // The last group has fewer rows.
  Value rows = k.min(k.sub(k.i32(tilesM), first), k.i32(group));
  index.tileM = k.add(
      first, arith::RemUIOp::create(k.b, k.loc, inside, rows).getResult());
  index.tileN = arith::DivUIOp::create(k.b, k.loc, inside, rows);
  return index;
}

TileIndex TileRaster::locateOfRows(CudaKernelBuilder &k, Value block,
                                   Value rows) const {
  auto rem = [&](Value a, Value b) -> Value {
    return arith::RemUIOp::create(k.b, k.loc, a, b);
  };
  auto div = [&](Value a, Value b) -> Value {
    return arith::DivUIOp::create(k.b, k.loc, a, b);
  };
  TileIndex index;
  index.split = index.batch = k.i32(0);
  index.tile = block;
  if (group >= tilesM) {
    index.tileM = rem(block, rows);
    index.tileN = div(block, rows);
    return index;
  }
  Value first = k.mul(k.div(block, group * tilesN), group);
  Value inside = k.rem(block, group * tilesN);
  // The last group has fewer rows.
  Value own = k.min(k.sub(rows, first), k.i32(group));
  index.tileM = k.add(first, rem(inside, own));
  index.tileN = div(inside, own);
  return index;
}

} // namespace minic::cuda
