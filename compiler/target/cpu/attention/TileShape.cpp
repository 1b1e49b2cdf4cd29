// SPDX-License-Identifier: Apache-2.0
//
// Everything in scratch begins at a cache line.

#include "compiler/target/cpu/attention/TileShape.h"

#include "llvm/Support/MathExtras.h"

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

/// Rows a multiple of 2 KiB apart fall into few sets of the first cache.
static bool isCrowded(int64_t stride, Type storage, int64_t rows) {
  return rows > 16 &&
         stride * int64_t(storage.getIntOrFloatBitWidth()) % (8 * 2048) == 0;
}

TileShape::TileShape(const AttentionFusion &body,
                     const AttentionSchedule &schedule, int64_t vectors)
    : vectors(vectors), rows(vectors * lanes), step(schedule.step),
      keyColumns(int64_t(llvm::alignTo(body.depth, lanes))),
      sumColumns(int64_t(llvm::alignTo(body.valueDepth, lanes))) {
  int64_t keys = std::min(schedule.keys, body.keys);
  blockKeys = keys == body.keys ? int64_t(llvm::alignTo(keys, step))
                                : std::max<int64_t>(1, keys / step) * step;
  copiesKeys = !body.key.storage.isF32();
  copiesValues = !body.value.storage.isF32() ||
                 (body.value.strides[3] != 1 && body.valueDepth > 1) ||
                 isCrowded(body.value.strides[2], body.value.storage, keys);
  int64_t used = 0;
  auto place = [&](int64_t elements) {
    int64_t start = used;
    used += int64_t(llvm::alignTo(elements, 16));
    return start;
  };
  at.query = place(keyColumns * rows);
  at.scores = place(blockKeys * rows);
  at.sums = place(rows * sumColumns);
  for (int64_t *each :
       {&at.greatest, &at.next, &at.total, &at.factor, &at.first, &at.end}) {
    *each = place(rows);
  }
  bool packsMask = getMaskKind(body) == MaskKind::PerRow;
  at.mask =
      place(packsMask ? int64_t(llvm::alignTo(blockKeys, lanes)) * rows : 0);
  at.keys = place(copiesKeys ? blockKeys * keyColumns : 0);
  at.values = place(copiesValues ? blockKeys * sumColumns : 0);
  scratchBytes = used * 4;
}

AttentionTiles::AttentionTiles(const AttentionFusion &body,
                               const AttentionSchedule &schedule)
    : groups(body.batch * body.keyHeads),
      groupRows(body.headsPerKey() * body.rows) {
  auto vectors = int64_t(llvm::divideCeil(groupRows, TileShape::lanes));
  int64_t most = schedule.rows / TileShape::lanes;
  perGroup = int64_t(llvm::divideCeil(vectors, most));
  tallTiles = vectors % perGroup;
  int64_t least = vectors / perGroup;
  if (tallTiles > 0) {
    shapes.emplace_back(body, schedule, least + 1);
  }
  shapes.emplace_back(body, schedule, least);
}

int64_t AttentionTiles::scratchBytes() const {
  int64_t bytes = 0;
  for (const TileShape &shape : shapes) {
    bytes = std::max(bytes, shape.scratchBytes);
  }
  return bytes;
}

} // namespace minic::cpu
