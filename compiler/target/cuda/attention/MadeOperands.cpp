// SPDX-License-Identifier: Apache-2.0
//
// Blocks cannot wait for each other, so each that shares a head of keys writes
// all that is new there: the same bytes, which others may be reading.

#include "compiler/target/cuda/attention/MadeOperands.h"

#include "compiler/target/codegen/MapLoops.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace minic::cuda {

SmallVector<BlockElements> MadeOperands::updates(Value keyBlock) {
  SmallVector<BlockElements> caches;
  for (AttentionFusion::Update each : g.fusion.updates) {
    caches.push_back(each.isValue
                         ? update(each, keyBlock, g.keyBytes(), g.value.pitch())
                         : update(each, keyBlock, 0, g.key.pitch()));
  }
  return caches;
}

BlockElements MadeOperands::update(AttentionFusion::Update update,
                                   Value keyBlock, int64_t offset,
                                   int64_t pitch) {
  auto fresh = cast<RankedTensorType>(update.op.getUpdate().getType());
  int64_t depth = fresh.getDimSize(3);
  auto make = [=, this](Value number) -> BlockElements::Made {
    Value indices[] = {rows.wide(rows.batch()), rows.wide(rows.keyHead()),
                       rows.wide(k.div(number, depth)),
                       rows.wide(k.rem(number, depth))};
    UpdatedElement made = emitUpdatedElement(
        k, update.op, indices, rows.operands(), rows.statusWord());
    return {made.element, made.offset, made.position};
  };
  auto store = [=, this](Value number, const BlockElements::Made &made) {
    UpdatedElement element{made[0], made[1], made[2]};
    storeUpdatedElement(k, update.op, element, rows.parameter(update.result));
    if (!keyBlock) {
      return;
    }
    // Where its key is copied, and counts: others are zeros, which weigh
    // nothing.
    Value first = k.mul(keyBlock, g.schedule.keyBlock);
    Value key = arith::TruncIOp::create(k.b, k.loc, k.b.getI32Type(), made[2]);
    Value row = k.sub(key, first);
    Value isHere = arith::CmpIOp::create(k.b, k.loc, arith::CmpIPredicate::ult,
                                         row, k.i32(g.schedule.keyBlock));
    Value counts = k.lessThan(key, rows.keys());
    k.ifThen(arith::AndIOp::create(k.b, k.loc, isHere, counts), [&] {
      Value at = k.add(k.mul(row, pitch), k.mul(k.rem(number, depth), 2));
      Value to = copies.at(k.add(copies.stage(0), k.add(at, offset)));
      k.storeRaw(k.toStorage(made[0], fresh.getElementType()), to, 2);
    });
  };
  return {fresh.getDimSize(2) * depth, make, store};
}

SmallVector<BlockElements> MadeOperands::query() {
  int64_t depth = g.fusion.depth;
  int64_t made = std::min(g.schedule.rowBlock(), g.rows());
  auto make = [=, this](Value number) -> BlockElements::Made {
    Value row = rows.clamp(k.add(rows.firstRow(), k.div(number, depth)));
    Value indices[] = {rows.wide(rows.batch()), rows.wide(rows.headOf(row)),
                       rows.wide(rows.queryOf(row)),
                       rows.wide(k.rem(number, depth))};
    return {emitElement(k, g.fusion.madeQuery, indices, rows.operands(),
                        rows.statusWord())};
  };
  auto store = [=, this](Value number, const BlockElements::Made &element) {
    Value at = k.add(k.mul(k.div(number, depth), g.query.pitch()),
                     k.mul(k.rem(number, depth), 2));
    k.storeRaw(k.toStorage(element[0], g.fusion.query.storage), copies.at(at),
               2);
  };
  SmallVector<BlockElements> all = {{made * depth, make, store}};
  if (int64_t rest = g.schedule.rowBlock() - made) {
    // Rows that are not there, 4 bytes at a time.
    auto zero = [=, this](Value) -> BlockElements::Made { return {k.i32(0)}; };
    auto clear = [=, this](Value number, const BlockElements::Made &nothing) {
      Value at = k.add(k.mul(number, 4), made * g.query.pitch());
      k.storeRaw(nothing[0], copies.at(at), 4);
    };
    all.push_back({rest * g.query.pitch() / 4, zero, clear});
  }
  return all;
}

} // namespace minic::cuda
