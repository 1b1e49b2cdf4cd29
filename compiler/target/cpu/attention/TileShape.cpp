// SPDX-License-Identifier: Apache-2.0
//
// Everything in scratch begins at a cache line.

#include "compiler/target/cpu/attention/TileShape.h"

#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace mlir;

namespace minic::cpu {

MaskKind getMaskKind(const AttentionFusion &body) {
  if (!body.mask) {
    return MaskKind::None;
  }
  const auto &strides = body.mask->strides;
  bool isPerKey =
      strides[2] == 0 && (strides[1] == 0 || body.headsPerKey() == 1);
  return isPerKey ? MaskKind::PerKey : MaskKind::PerRow;
}

/// Whether rows of `elements` lie so far apart that they meet in a few sets of
/// the first cache, 64 sets of a line of 16 elements.
static bool isCrowded(const AttentionFusion::Access &rows, int64_t elements) {
  int64_t lines = rows.strides[2] / 16;
  bool isWhole = rows.strides[2] % 16 == 0 && lines > 0;
  return isWhole && 64 / std::gcd<int64_t>(lines, 64) * elements / 16 < 64;
}

TileShape::TileShape(const AttentionFusion &body,
                     const AttentionSchedule &schedule, int64_t rows)
    : lanesAreQueries(schedule.hasLanesOfQueries()), usesTiles(schedule.tiles),
      rows(rows), vectors(int64_t(llvm::divideCeil(rows, lanes))),
      step(schedule.step),
      keyColumns(int64_t(llvm::alignTo(body.depth, lanes))),
      sumColumns(int64_t(llvm::alignTo(body.valueDepth, lanes))),
      paddedDepth(int64_t(llvm::alignTo(body.depth, tileDepth))) {
  int64_t keys = std::min(schedule.keys, body.keys);
  blockKeys = keys == body.keys ? int64_t(llvm::alignTo(keys, step))
                                : std::max<int64_t>(1, keys / step) * step;
  if (usesTiles) {
    blockKeys = int64_t(llvm::alignTo(keys, tileDepth));
  }
  bool hasNeighbours = body.value.strides[3] == 1 || body.valueDepth == 1;
  if (usesTiles) {
    copiesKeys = copiesValues = false; // but for tiles
  } else if (lanesAreQueries) {
    copiesKeys = !body.key.storage.isF32();
    copiesValues = !body.value.storage.isF32() || !hasNeighbours ||
                   isCrowded(body.value, sumColumns);
  } else {
    // What is used once or twice is converted then.
    copiesKeys = body.key.strides[3] != 1 && body.depth > 1;
    copiesValues = !hasNeighbours;
  }
  int64_t used = 0;
  auto place = [&](int64_t elements) {
    int64_t start = used;
    used += int64_t(llvm::alignTo(elements, 16));
    return start;
  };
  at.query = place(usesTiles ? 0 : keyColumns * rows);
  at.scores = place(blockKeys * rows);
  at.sums = place(rows * sumColumns);
  for (int64_t *each :
       {&at.greatest, &at.next, &at.total, &at.factor, &at.first, &at.end}) {
    *each = place(vectors * lanes);
  }
  at.laneGreatest = place(lanesAreQueries ? 0 : rows * lanes);
  bool packsMask =
      body.mask && (!lanesAreQueries || getMaskKind(body) == MaskKind::PerRow);
  at.mask =
      place(packsMask ? int64_t(llvm::alignTo(blockKeys, lanes)) * rows : 0);
  at.keys = place(copiesKeys ? blockKeys * keyColumns : 0);
  at.values = place(copiesValues ? blockKeys * sumColumns : 0);
  auto placeHalves = [&](int64_t elements) {
    return place(usesTiles ? elements / 2 : 0);
  };
  at.queryTiles = placeHalves(paddedDepth * rows);
  at.keyTiles = placeHalves(paddedDepth * blockKeys);
  at.valueTiles = placeHalves(sumColumns * blockKeys);
  at.weightTiles = placeHalves(rows * blockKeys);
  scratchBytes = used * 4;
}

AttentionTiles::AttentionTiles(const AttentionFusion &body,
                               const AttentionSchedule &schedule)
    : groups(body.batch * body.keyHeads),
      groupRows(body.headsPerKey() * body.rows), split(schedule.split) {
  int64_t unit = schedule.hasLanesOfQueries() ? TileShape::lanes : 1;
  auto units = int64_t(llvm::divideCeil(groupRows, unit));
  perGroup = int64_t(llvm::divideCeil(units, schedule.rows / unit));
  tallTiles = units % perGroup;
  int64_t rows = units / perGroup * unit;
  if (tallTiles > 0) {
    shapes.emplace_back(body, schedule, rows + unit);
  }
  shapes.emplace_back(body, schedule, rows);
}

int64_t AttentionTiles::stateBytes() const {
  // The first shape has as many rows as any.
  return split * shapes.front().stateFloats() * 4;
}

int64_t AttentionTiles::scratchBytes() const {
  int64_t bytes = 0;
  for (const TileShape &shape : shapes) {
    bytes = std::max(bytes, shape.scratchBytes);
  }
  return bytes;
}

} // namespace minic::cpu
