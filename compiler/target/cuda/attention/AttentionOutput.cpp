// SPDX-License-Identifier: Apache-2.0
//
// A part has the values of each row of the block, then the greatest score and
// the sum of each. The block that arrives last merges those of all; of a
// cluster the first one, or each merges some rows.

#include "compiler/target/cuda/attention/AttentionOutput.h"

#include "compiler/target/cuda/LastBlock.h"
#include "compiler/target/cuda/attention/WideStore.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace minic::cuda {

/// Whether `elements` neighbours of a row are stored at once.
static bool storesAtOnce(const AttentionFusion &a, int64_t elements) {
  const AttentionFusion::Access &to = a.result;
  bool isAligned = to.offset % elements == 0;
  for (size_t i = 0; i != 3; ++i) {
    isAligned = isAligned && to.strides[i] % elements == 0;
  }
  return isAligned && to.strides[3] == 1 && a.valueDepth % elements == 0;
}

/// Whether threads exchange results before they store. With more sums than
/// these, the words on their way would not fit into registers beside them.
static bool storesWords(const AttentionGeometry &g) {
  constexpr int64_t mostSums = 64;
  return storesAtOnce(g.fusion, 8) && g.value.padded == g.value.elements &&
         g.value.padded % 32 == 0 &&
         g.value.padded / 2 * g.schedule.rowTiles <= mostSums &&
         g.fusion.result.storage.getIntOrFloatBitWidth() == 16;
}

AttentionOutput::Memory
AttentionOutput::Memory::of(const AttentionGeometry &geometry,
                            KernelEntry entry, Value shared, int64_t pointers) {
  Memory memory{shared, {}, {}};
  if (geometry.meetsInMemory()) {
    memory.workspace = entry.parameter(pointers);
    memory.counters = entry.parameter(pointers + 1);
  }
  return memory;
}

void AttentionOutput::emit(ArrayRef<RowState> states, ArrayRef<Value> sums,
                           Value keyWarp, Value lane) {
  const AttentionSchedule &s = g.schedule;
  auto result = [&](const Group &group) {
    storeResult(group);
    if (g.leavesOut()) {
      leftOut.repair(group.row, group.column, /*tiles=*/1, group.state,
                     leftOut.check(group.values));
    }
  };
  Value ownPart;
  if (g.sendsParts()) {
    k.awaitCluster(); // for joinCluster() of all
    ownPart = k.ofClusterBlock(sentPart(BlockRows::part(k, g)), k.i32(0));
  } else if (s.clustered) {
    ownPart =
        k.advance(memory.shared, (g.sharedParts() - 1) * g.partialFloats(),
                  k.b.getF32Type());
  } else if (s.split > 1) {
    ownPart = partOf(BlockRows::part(k, g));
  }
  auto part = [&](const Group &group) { storePart(ownPart, group); };
  if (s.keyWarps > 1) {
    Value own = k.advance(memory.shared, k.mul(keyWarp, g.partialFloats()),
                          k.b.getF32Type());
    forEachOwn(states, sums, lane,
               [&](const Group &group) { storePart(own, group); });
    k.barrier();
    s.split > 1 ? merge(memory.shared, s.keyWarps, part)
                : merge(memory.shared, s.keyWarps, result);
  } else {
    s.split > 1 ? forEachOwn(states, sums, lane, part)
                : storeOwn(states, sums, lane);
  }
  if (g.sendsParts()) {
    mergeSent(result);
  } else if (s.clustered) {
    mergeCluster(ownPart, result);
  } else if (s.split > 1) {
    k.ifThen(isLastBlock(), [&] { merge(partOf(k.i32(0)), s.split, result); });
  }
}

void AttentionOutput::joinCluster(CudaKernelBuilder &k,
                                  const AttentionGeometry &g) {
  if (g.sendsParts()) {
    k.arriveAtCluster(/*ordersMemory=*/false);
  }
}

Value AttentionOutput::sentPart(Value number) {
  Value first = k.advance(memory.shared, g.sentPartsOffset(), k.b.getI8Type());
  return k.advance(first, k.mul(number, g.partialFloats()), k.b.getF32Type());
}

void AttentionOutput::mergeSent(Sink sink) {
  k.arriveAtCluster();
  Value isFirst = arith::CmpIOp::create(k.b, k.loc, arith::CmpIPredicate::eq,
                                        BlockRows::part(k, g), k.i32(0));
  // The others end: nobody reads their memory.
  k.ifThen(isFirst, [&] {
    k.awaitCluster();
    merge(sentPart(k.i32(0)), g.schedule.split, sink);
  });
}

void AttentionOutput::mergeCluster(Value ownPart, Sink sink) {
  int64_t split = g.schedule.split, threads = g.schedule.threads();
  k.clusterBarrier();
  SmallVector<Value> parts;
  for (int64_t number = 0; number != split; ++number) {
    parts.push_back(k.ofClusterBlock(ownPart, k.i32(number)));
  }
  Value first = k.add(k.mul(BlockRows::part(k, g), threads), k.threadIdX());
  forEachPair(first, split * threads, [&](const PairPlace &place) {
    sink(groupOf(place, addParts(parts, place, {})));
  });
  // No block may end while others read its memory.
  k.clusterBarrier();
}

void AttentionOutput::ifExists(Value row, llvm::function_ref<void()> then) {
  if (g.rows() % g.schedule.rowBlock() == 0) {
    return then();
  }
  k.ifThen(k.lessThan(row, g.rows()), then);
}

void AttentionOutput::forEachOwn(ArrayRef<RowState> states,
                                 ArrayRef<Value> sums, Value lane, Sink sink) {
  int64_t tiles = g.value.padded / 8;
  Value inGroup = k.rem(lane, 4), first = k.mul(inGroup, 2);
  Value isFirst = arith::CmpIOp::create(k.b, k.loc, arith::CmpIPredicate::eq,
                                        inGroup, k.i32(0));
  for (auto [i, state] : llvm::enumerate(states)) {
    Value row = scores.row(int64_t(i));
    ifExists(row, [&] {
      for (int64_t tile = 0; tile != tiles; ++tile) {
        size_t at = (i / 2 * size_t(tiles) + size_t(tile)) * 4 + i % 2 * 2;
        sink({row,
              k.add(first, 8 * tile),
              {sums[at], sums[at + 1]},
              state,
              tile == 0 ? isFirst : Value()});
      }
    });
  }
}

void AttentionOutput::storeWide(ArrayRef<RowState> states, ArrayRef<Value> sums,
                                Value lane) {
  const AttentionFusion::Access &result = g.fusion.result;
  WideStore wide(k, result.storage, lane);
  size_t tiles = size_t(g.value.padded) / 8;
  Value inGroup = k.rem(lane, 4), own = k.mul(inGroup, 8);
  Value isFirst = arith::CmpIOp::create(k.b, k.loc, arith::CmpIPredicate::eq,
                                        inGroup, k.i32(0));
  for (auto [i, state] : llvm::enumerate(states)) {
    Value inverse = softmax.inverse(state);
    SmallVector<Value> gathered;
    for (size_t tile = 0; tile != tiles; tile += 4) {
      SmallVector<Value, 8> pairs;
      for (size_t j = 0; j != 8; ++j) {
        size_t at = (i / 2 * tiles + tile + j / 2) * 4 + i % 2 * 2 + j % 2;
        pairs.push_back(arith::MulFOp::create(k.b, k.loc, sums[at], inverse));
      }
      gathered.push_back(wide.gather(pairs));
    }
    Value row = scores.row(int64_t(i));
    ifExists(row, [&] {
      storeLogSumExp({row, {}, {}, state, isFirst});
      Value column = arith::ExtUIOp::create(k.b, k.loc, k.b.getI64Type(), own);
      Value to = rows.pointer(result, k.add(rows.address(result, row), column));
      for (auto [group, words] : llvm::enumerate(gathered)) {
        k.storeAligned(words,
                       k.advance(to, int64_t(group) * 32, result.storage));
      }
    });
  }
}

void AttentionOutput::storeOwn(ArrayRef<RowState> states, ArrayRef<Value> sums,
                               Value lane) {
  size_t tiles = size_t(g.value.padded) / 8;
  // Ahead of the stores, and by shuffles, which stay there: sums need no
  // registers beyond them.
  SmallVector<Value> checked;
  for (size_t i = 0; g.leavesOut() && i != states.size(); ++i) {
    SmallVector<Value> own;
    for (size_t tile = 0; tile != tiles; ++tile) {
      size_t at = (i / 2 * tiles + tile) * 4 + i % 2 * 2;
      own.append({sums[at], sums[at + 1]});
    }
    checked.push_back(softmax.addUp(leftOut.check(own)));
  }
  if (storesWords(g)) {
    storeWide(states, sums, lane);
    if (g.leavesOut()) {
      // What is looked at again was stored by other threads of the warp.
      NVVM::SyncWarpOp::create(k.b, k.loc, k.i32(-1));
    }
  } else {
    forEachOwn(states, sums, lane,
               [&](const Group &group) { storeResult(group); });
  }
  for (auto [i, flag] : llvm::enumerate(checked)) {
    Value row = scores.row(int64_t(i));
    ifExists(row, [&] {
      leftOut.repair(row, k.mul(k.rem(lane, 4), 2), int64_t(tiles), states[i],
                     flag);
    });
  }
}

/// Parts of which a thread asks for all that it needs at once.
constexpr int64_t partsAtOnce = 16;

void AttentionOutput::forEachPair(
    Value first, int64_t step,
    llvm::function_ref<void(const PairPlace &)> visit) {
  int64_t perRow = g.value.padded / 2, count = g.partialRows();
  k.forLoop(first, k.i32(count * perRow), step, [&](Value index) {
    Value local = k.div(index, perRow), column = k.mul(k.rem(index, perRow), 2);
    Value row = k.add(rows.firstRow(), local);
    ifExists(row, [&] {
      visit({row, column, k.add(k.mul(local, g.partialPitch()), column),
             k.add(k.mul(local, 2), count * g.partialPitch())});
    });
  });
}

AttentionOutput::Group AttentionOutput::groupOf(const PairPlace &place,
                                                const MergedPair &merged) {
  Value isFirst = arith::CmpIOp::create(k.b, k.loc, arith::CmpIPredicate::eq,
                                        place.column, k.i32(0));
  return {place.row, place.column, merged.values, merged.state, isFirst};
}

void AttentionOutput::merge(Value first, int64_t parts, Sink sink) {
  OpBuilder &b = k.b;
  auto visit = [&](const PairPlace &place) {
    auto group = [&](Value part, int64_t count, const MergedPair &before) {
      Value from =
          k.advance(first, k.mul(part, g.partialFloats()), b.getF32Type());
      SmallVector<Value> each;
      for (int64_t i = 0; i != count; ++i) {
        each.push_back(k.advance(from, i * g.partialFloats(), b.getF32Type()));
      }
      return addParts(each, place, before);
    };
    MergedPair merged;
    int64_t grouped = parts / partsAtOnce * partsAtOnce;
    if (grouped > partsAtOnce) {
      Value zero = arith::ConstantOp::create(b, k.loc, b.getF32FloatAttr(0));
      RowState none = softmax.start();
      SmallVector<Value> values =
          k.forLoop(k.i32(0), k.i32(grouped), partsAtOnce,
                    {none.greatest, none.sum, zero, zero},
                    [&](Value part, ValueRange carried) -> SmallVector<Value> {
                      MergedPair sum = group(
                          part, partsAtOnce,
                          {{carried[0], carried[1]}, {carried[2], carried[3]}});
                      return {sum.state.greatest, sum.state.sum, sum.values[0],
                              sum.values[1]};
                    });
      merged = {{values[0], values[1]}, {values[2], values[3]}};
    } else if (grouped > 0) {
      merged = group(k.i32(0), partsAtOnce, {});
    }
    if (parts > grouped) {
      merged = group(k.i32(grouped), parts - grouped, merged);
    }
    sink(groupOf(place, merged));
  };
  forEachPair(k.threadIdX(), g.schedule.threads(), visit);
}

AttentionOutput::MergedPair
AttentionOutput::addParts(ArrayRef<Value> parts, const PairPlace &place,
                          const MergedPair &before) {
  OpBuilder &b = k.b;
  auto pair = VectorType::get(2, b.getF32Type());
  auto load = [&](Value part, Value offset) -> std::array<Value, 2> {
    Value both = k.loadAligned(pair, k.advance(part, offset, b.getF32Type()));
    return {vector::ExtractOp::create(b, k.loc, both, int64_t(0)),
            vector::ExtractOp::create(b, k.loc, both, int64_t(1))};
  };
  SmallVector<MergedPair> all;
  if (before.state.greatest) {
    all.push_back(before);
  }
  for (Value part : parts) {
    auto [greatest, sum] = load(part, place.state);
    all.push_back({{greatest, sum}, load(part, place.values)});
  }
  MergedPair merged;
  for (const MergedPair &each : all) {
    Value &greatest = merged.state.greatest;
    greatest = greatest ? arith::MaximumFOp::create(b, k.loc, greatest,
                                                    each.state.greatest)
                        : each.state.greatest;
  }
  for (const MergedPair &each : all) {
    Value weight = softmax.weight(each.state.greatest, merged.state.greatest);
    auto add = [&](Value &sum, Value value) {
      Value part = arith::MulFOp::create(b, k.loc, value, weight);
      sum = sum ? arith::AddFOp::create(b, k.loc, sum, part) : part;
    };
    add(merged.state.sum, each.state.sum);
    add(merged.values[0], each.values[0]);
    add(merged.values[1], each.values[1]);
  }
  return merged;
}

void AttentionOutput::storePart(Value part, const Group &group) {
  Type f32 = k.b.getF32Type();
  auto store = [&](Value x, Value y, Value offset) {
    auto pair = VectorType::get(2, f32);
    Value both =
        vector::FromElementsOp::create(k.b, k.loc, pair, ValueRange{x, y});
    k.storeAligned(both, k.advance(part, offset, f32));
  };
  Value local = k.sub(group.row, rows.firstRow());
  store(group.values[0], group.values[1],
        k.add(k.mul(local, g.partialPitch()), group.column));
  if (group.isFirst) {
    k.ifThen(group.isFirst, [&] {
      store(group.state.greatest, group.state.sum,
            k.add(k.mul(local, 2), g.partialRows() * g.partialPitch()));
    });
  }
}

Value AttentionOutput::partOf(Value number) {
  Value part = k.add(k.mul(BlockRows::block(k, g), g.schedule.split), number);
  part = arith::ExtUIOp::create(k.b, k.loc, k.b.getI64Type(), part);
  return k.advance(memory.workspace, k.mul(part, g.partialFloats()),
                   k.b.getF32Type());
}

Value AttentionOutput::isLastBlock() {
  Value flag = k.advance(memory.shared, g.sharedBytes() - 16, k.b.getI8Type());
  Value counter = k.advance(memory.counters, k.blockIdX(), k.b.getI32Type());
  return emitIsLastBlock(k, counter, g.schedule.split, flag);
}

void AttentionOutput::storeLogSumExp(const Group &group) {
  const AttentionFusion &a = g.fusion;
  if (a.logSumExp && group.isFirst) {
    k.ifThen(group.isFirst, [&] {
      Value to =
          rows.pointer(*a.logSumExp, rows.address(*a.logSumExp, group.row));
      Value value =
          softmax.logSumExp(group.state, g.foldsScale() ? a.scale : 1);
      k.storeAligned(k.toStorage(value, a.logSumExp->storage), to);
    });
  }
}

void AttentionOutput::storeResult(const Group &group) {
  const AttentionFusion &a = g.fusion;
  storeLogSumExp(group);
  Value inverse = softmax.inverse(group.state);
  std::array<Value, 2> scaled;
  for (size_t i : {0, 1}) {
    scaled[i] = arith::MulFOp::create(k.b, k.loc, group.values[i], inverse);
  }
  Value row = rows.address(a.result, group.row);
  auto at = [&](Value column) {
    Value wide = arith::ExtUIOp::create(k.b, k.loc, k.b.getI64Type(), column);
    return rows.pointer(a.result, k.add(row, k.mul(wide, a.result.strides[3])));
  };
  auto ifInside = [&](Value column, llvm::function_ref<void()> then) {
    if (a.valueDepth == g.value.padded) {
      return then();
    }
    k.ifThen(k.lessThan(column, a.valueDepth), then);
  };
  if (storesAtOnce(a, 2)) {
    ifInside(group.column, [&] {
      auto pair = VectorType::get(2, k.b.getF32Type());
      Value both = vector::FromElementsOp::create(k.b, k.loc, pair, scaled);
      k.storeAligned(k.toStorage(both, a.result.storage), at(group.column));
    });
    return;
  }
  for (int64_t i : {0, 1}) {
    Value column = k.add(group.column, i);
    ifInside(column, [&] {
      k.storeAligned(k.toStorage(scaled[size_t(i)], a.result.storage),
                     at(column));
    });
  }
}

} // namespace minic::cuda
