// SPDX-License-Identifier: Apache-2.0
//
// Blocks that have the most keys come first under a causal mask, so that the
// last ones to run are short; otherwise blocks that share keys are neighbours.

#include "compiler/target/cuda/attention/BlockRows.h"

#include "compiler/target/codegen/MapLoops.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace minic::cuda {

using Access = AttentionFusion::Access;

/// Its rows' block, and which pair of a batch and heads it has.
static std::pair<Value, Value> locate(CudaKernelBuilder &k,
                                      const AttentionGeometry &g, Value block) {
  if (g.fusion.causal != graph::Causal::None && !g.fusion.window) {
    return {k.sub(k.i32(g.rowBlocks() - 1), k.div(block, g.outer())),
            k.rem(block, g.outer())};
  }
  return {k.rem(block, g.rowBlocks()), k.div(block, g.rowBlocks())};
}

Value BlockRows::block(CudaKernelBuilder &k, const AttentionGeometry &g) {
  return g.schedule.clustered ? k.div(k.blockIdX(), g.schedule.split)
                              : k.blockIdX();
}

Value BlockRows::part(CudaKernelBuilder &k, const AttentionGeometry &g) {
  return g.schedule.clustered ? k.rem(k.blockIdX(), g.schedule.split)
                              : k.blockIdY();
}

Value BlockRows::batchOf(CudaKernelBuilder &k,
                         const AttentionGeometry &geometry, Value block) {
  return k.div(locate(k, geometry, block).second,
               geometry.fusion.heads / geometry.heads);
}

BlockRows::BlockRows(CudaKernelBuilder &builder,
                     const AttentionGeometry &geometry, KernelEntry entry,
                     Value statusWord, bool readsLength)
    : k(builder), g(geometry), entry_(entry), statusWord_(statusWord) {
  const AttentionFusion &a = g.fusion;
  auto [rowBlock, outer] = locate(k, g, block(k, g));
  firstRow_ = k.mul(rowBlock, g.schedule.rowBlock());
  int64_t perBatch = a.heads / g.heads;
  batch_ = k.div(outer, perBatch);
  head_ = k.mul(k.rem(outer, perBatch), g.heads);
  keyHead_ = k.div(head_, a.headsPerKey());
  if (readsLength) {
    keys_ = a.keyLength ? readKeyLength() : k.i32(a.keys);
  }
}

SmallVector<Value> BlockRows::operands() const {
  SmallVector<Value> addresses;
  for (unsigned i = 0; i != g.fusion.operands; ++i) {
    addresses.push_back(parameter(i));
  }
  return addresses;
}

Value BlockRows::wide(Value value) const {
  return arith::ExtUIOp::create(k.b, k.loc, k.b.getI64Type(), value);
}

Value BlockRows::readKeyLength() {
  const Access &length = *g.fusion.keyLength;
  Value value;
  if (Value made = g.fusion.madeLength) {
    SmallVector<Value> indices(cast<RankedTensorType>(made.getType()).getRank(),
                               wide(batch_));
    value = emitElement(k, made, indices, operands(), statusWord_);
  } else {
    Value at = k.add(k.mul(wide(batch_), length.strides[0]), length.offset);
    value = k.loadRaw(length.storage, pointer(length, at),
                      int64_t(length.storage.getIntOrFloatBitWidth()) / 8);
  }
  value = k.max(value, k.integer(length.storage, 0));
  value = k.min(value, k.integer(length.storage, g.fusion.keys));
  return length.storage.isInteger(32)
             ? value
             : arith::TruncIOp::create(k.b, k.loc, k.b.getI32Type(), value);
}

Value BlockRows::headOf(Value row) const {
  return g.heads == 1 ? head_ : k.add(head_, k.div(row, g.fusion.rows));
}

Value BlockRows::queryOf(Value row) const {
  return g.heads == 1 ? row : k.rem(row, g.fusion.rows);
}

Value BlockRows::pointer(const Access &access, Value at) {
  return k.advance(entry_.parameter(access.argument), at, access.storage);
}

Value BlockRows::address(const Access &access, Value row) {
  Value at = k.add(k.mul(wide(batch_), access.strides[0]), access.offset);
  at = k.add(at, k.mul(wide(headOf(row)), access.strides[1]));
  return k.add(at, k.mul(wide(queryOf(row)), access.strides[2]));
}

Value BlockRows::keyAddress(const Access &access) {
  Value at = k.add(k.mul(wide(batch_), access.strides[0]), access.offset);
  return k.add(at, k.mul(wide(keyHead_), access.strides[1]));
}

Value BlockRows::clamp(Value row) const {
  return k.min(row, k.i32(g.rows() - 1));
}

/// Where query 0 is among the keys.
static bool isAtTheEnd(const AttentionFusion &a) {
  return a.causal == graph::Causal::LowerRight;
}

/// Windows beyond this see all keys.
static int64_t windowOf(const AttentionFusion &a) {
  return std::min<int64_t>(*a.window, int64_t(1) << 29);
}

Value BlockRows::low(Value query) {
  if (!g.fusion.window) {
    return {};
  }
  Value at = isAtTheEnd(g.fusion)
                 ? k.add(query, k.sub(keys_, k.i32(g.fusion.rows)))
                 : query;
  return k.sub(at, k.i32(windowOf(g.fusion) - 1));
}

Value BlockRows::high(Value query) {
  const AttentionFusion &a = g.fusion;
  Value at = isAtTheEnd(a) ? k.add(query, k.sub(keys_, k.i32(a.rows))) : query;
  Value high = keys_;
  if (a.causal != graph::Causal::None) {
    high = k.min(high, k.add(at, 1));
  }
  if (a.window) {
    high = k.min(high, k.add(at, windowOf(a)));
  }
  return high;
}

KeyInterval BlockRows::seenBy(Value row) {
  Value query = queryOf(clamp(row));
  return {low(query), high(query)};
}

/// The least and the greatest query of rows that exist.
std::pair<Value, Value> BlockRows::queries(Value first, int64_t rows) {
  if (g.heads > 1) {
    return {k.i32(0), k.i32(g.fusion.rows - 1)};
  }
  return {clamp(first), clamp(k.add(first, rows - 1))};
}

KeyInterval BlockRows::seenByAny(Value first, int64_t rows) {
  auto [least, greatest] = queries(first, rows);
  return {low(least), high(greatest)};
}

KeyInterval BlockRows::seenByAll(Value first, int64_t rows) {
  auto [least, greatest] = queries(first, rows);
  return {low(greatest), high(least)};
}

BlockRows::KeyBlocks BlockRows::keyBlocks() {
  const AttentionSchedule &s = g.schedule;
  KeyInterval seen = seenByAny(firstRow(), s.rowBlock());
  Value begin = k.i32(0);
  if (seen.low) {
    begin = k.div(k.max(seen.low, k.i32(0)), s.keyBlock);
  }
  Value end =
      k.div(k.add(k.max(seen.high, k.i32(0)), s.keyBlock - 1), s.keyBlock);
  if (s.split == 1) {
    return {begin, end};
  }
  Value count = k.max(k.sub(end, begin), k.i32(0));
  Value each = k.div(k.add(count, s.split - 1), s.split);
  begin = k.add(begin, k.mul(part(k, g), each));
  return {begin, k.min(end, k.add(begin, each))};
}

bool BlockRows::mayBeEmpty() const {
  const AttentionFusion &a = g.fusion;
  return g.schedule.split > 1 || a.keyLength || a.window || isAtTheEnd(a);
}

bool BlockRows::cutsKeys() const {
  const AttentionFusion &a = g.fusion;
  return a.causal != graph::Causal::None || a.window || a.keyLength ||
         a.keys % g.schedule.keyBlock != 0;
}

} // namespace minic::cuda
