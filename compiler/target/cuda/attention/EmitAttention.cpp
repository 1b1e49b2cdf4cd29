// SPDX-License-Identifier: Apache-2.0
//
// A block has some rows of the query and walks over their keys. Scores, weights
// and sums stay in registers: a warp's tile of weights is, as it lies, the left
// operand of its product with the values. (Dao, FlashAttention-2, 2023.)

#include "compiler/target/cuda/attention/EmitAttention.h"

#include "compiler/target/cuda/attention/AttentionOutput.h"
#include "compiler/target/cuda/attention/BlockCopies.h"
#include "compiler/target/cuda/attention/EmitWarpGroups.h"
#include "compiler/target/cuda/attention/KeysAhead.h"
#include "compiler/target/cuda/attention/MadeOperands.h"
#include "compiler/target/cuda/attention/TensorCore.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace minic::cuda {

namespace {

class AttentionEmitter {
public:
  /// Earlier launches are complete, or copyEarly() comes before what waits for
  /// them.
  AttentionEmitter(CudaKernelBuilder &k, const AttentionGeometry &g,
                   KernelEntry entry, Value statusWord, Value shared)
      : k(k), g(g), s(g.schedule), core(k, g.fusion.query.storage),
        warp(k.warpId()), lane(k.laneId()), rowWarp(k.div(warp, s.keyWarps)),
        keyWarp(k.rem(warp, s.keyWarps)), rows(k, g, entry, statusWord),
        range(rows.keyBlocks()), copies(k, g, rows, shared, k.threadIdX()),
        made(k, g, rows, copies) {}

  /// The only block of keys, as its caches were before the run.
  void copyEarly();
  /// Updates caches, and copies what was not copied early.
  void copyFirst(bool early);
  void emit(const AttentionOutput::Memory &memory);

private:
  /// What the loop over blocks of keys carries.
  struct State {
    SmallVector<RowState> rows;
    SmallVector<Value> sums;
    Value read; // where its stage is
    /// What is copied next.
    Value keys, values;

    SmallVector<Value> flat() const;
    State from(ValueRange values) const;
  };

  void copyOnlyKeys();
  void copyOnlyValues();
  /// All warps are here, and all copies have landed but those of the last
  /// `groups`.
  void await(int64_t groups) {
    copies.await(groups);
    k.barrier();
  }
  /// The same where nothing but copies is waited for.
  void awaitCopies(int64_t groups) {
    if (!haveLanded) {
      await(groups);
    }
  }

  Fragment queryFragment(int64_t tile, int64_t step);
  SmallVector<Value> multiplyKeys(Value stage);
  void multiplyValues(Value stage, ArrayRef<Value> weights,
                      MutableArrayRef<Value> sums);
  State loop(Scores &scores, OnlineSoftmax &softmax);

  CudaKernelBuilder &k;
  const AttentionGeometry &g;
  const AttentionSchedule &s;
  TensorCore core;
  Value warp, lane, rowWarp, keyWarp;
  BlockRows rows;
  BlockRows::KeyBlocks range;
  BlockCopies copies;
  MadeOperands made;
  /// All copies that there are have.
  bool haveLanded = false;
  /// Of all tiles and steps, where the query stays in registers.
  SmallVector<Fragment> query;
};

SmallVector<Value> AttentionEmitter::State::flat() const {
  SmallVector<Value> values;
  for (const RowState &row : rows) {
    values.append({row.greatest, row.sum});
  }
  values.append(sums);
  values.append({read, keys, this->values});
  return values;
}

/// `values` in the places of this state's.
AttentionEmitter::State AttentionEmitter::State::from(ValueRange values) const {
  State state;
  for (size_t i = 0; i != rows.size(); ++i) {
    state.rows.push_back({values[2 * i], values[2 * i + 1]});
  }
  state.sums = llvm::to_vector(values.drop_front(2 * rows.size()).drop_back(3));
  values = values.take_back(3);
  state.read = values[0];
  state.keys = values[1];
  state.values = values[2];
  return state;
}

/// Lanes 0 to 15 point to rows, the others to their second 16 bytes.
Fragment AttentionEmitter::queryFragment(int64_t tile, int64_t step) {
  if (!query.empty()) {
    return query[size_t(tile * g.query.padded / 16 + step)];
  }
  Value row = k.add(k.mul(rowWarp, 16 * s.rowTiles), k.rem(lane, 16));
  Value offset = k.add(k.mul(row, g.query.pitch()), k.mul(k.div(lane, 16), 16));
  return core.load(k.advance(copies.at(offset),
                             tile * 16 * g.query.pitch() + step * 32,
                             k.b.getI8Type()),
                   /*isTransposed=*/false);
}

SmallVector<Value> AttentionEmitter::multiplyKeys(Value stage) {
  Value zero = arith::ConstantOp::create(k.b, k.loc, k.b.getF32FloatAttr(0));
  int64_t tiles = s.warpKeys() / 8;
  SmallVector<Value> products(size_t(s.rowTiles * tiles * 4), zero);
  // Keys are columns: 8 to 15 for the upper half of lanes.
  Value key = k.add(k.mul(k.div(lane, 16), 8), k.rem(lane, 8));
  key = k.add(key, k.mul(keyWarp, s.warpKeys()));
  Value chunk = k.rem(k.div(lane, 8), 2);
  Value first = copies.at(
      k.add(stage, k.add(k.mul(key, g.key.pitch()), k.mul(chunk, 16))));
  for (int64_t step = 0; step != g.query.padded / 16; ++step) {
    SmallVector<Fragment> rows;
    for (int64_t tile = 0; tile != s.rowTiles; ++tile) {
      rows.push_back(queryFragment(tile, step));
    }
    for (int64_t keys = 0; keys != tiles; keys += 2) {
      Fragment columns =
          core.load(k.advance(first, keys * 8 * g.key.pitch() + step * 32,
                              k.b.getI8Type()),
                    /*isTransposed=*/false);
      for (int64_t tile = 0; tile != s.rowTiles; ++tile) {
        for (int64_t half : {0, 1}) {
          core.multiply(rows[size_t(tile)],
                        ArrayRef(columns).slice(size_t(2 * half), 2),
                        MutableArrayRef(products).slice(
                            size_t(tile * tiles + keys + half) * 4, 4));
        }
      }
    }
  }
  return products;
}

void AttentionEmitter::multiplyValues(Value stage, ArrayRef<Value> weights,
                                      MutableArrayRef<Value> sums) {
  int64_t tiles = s.warpKeys() / 8, columns = g.value.padded / 8;
  // Values lie by key: transposed, a lane's registers are of two keys.
  Value key = k.add(k.rem(lane, 16), k.mul(keyWarp, s.warpKeys()));
  Value offset = k.add(k.mul(key, g.value.pitch()), k.mul(k.div(lane, 16), 16));
  Value first = copies.at(k.add(k.add(stage, g.keyBytes()), offset));
  for (int64_t keys = 0; keys != tiles; keys += 2) {
    SmallVector<Fragment> rows;
    for (int64_t tile = 0; tile != s.rowTiles; ++tile) {
      Fragment row;
      for (size_t i : {0, 2, 4, 6}) {
        size_t at = size_t(tile * tiles + keys) * 4 + i;
        row.push_back(core.pack(weights[at], weights[at + 1]));
      }
      rows.push_back(row);
    }
    for (int64_t column = 0; column != columns; column += 2) {
      Fragment values =
          core.load(k.advance(first, keys * 8 * g.value.pitch() + column * 16,
                              k.b.getI8Type()),
                    /*isTransposed=*/true);
      for (int64_t tile = 0; tile != s.rowTiles; ++tile) {
        for (int64_t half : {0, 1}) {
          core.multiply(
              rows[size_t(tile)], ArrayRef(values).slice(size_t(2 * half), 2),
              sums.slice(size_t(tile * columns + column + half) * 4, 4));
        }
      }
    }
  }
}

AttentionEmitter::State AttentionEmitter::loop(Scores &scores,
                                               OnlineSoftmax &softmax) {
  Value zero = arith::ConstantOp::create(k.b, k.loc, k.b.getF32FloatAttr(0));
  State first;
  for (int64_t i = 0; i != scores.count(); ++i) {
    first.rows.push_back(softmax.start());
  }
  first.sums.assign(size_t(s.rowTiles * g.value.padded / 2), zero);
  bool isSingle = s.stages == 1, isOnly = g.hasOneKeyBlock();
  first.read = copies.stage(0);
  first.keys =
      copies.keySource(k.add(range.begin, isSingle ? 1 : s.stages - 1));
  first.values =
      copies.valueSource(k.add(range.begin, isSingle ? 0 : s.stages - 1));
  auto body = [&](Value keyBlock, ValueRange values) {
    State now = first.from(values);
    // Copies of this block have landed, and all warps have left the stage that
    // the next copies overwrite.
    awaitCopies(isOnly ? 1 : isSingle ? 0 : s.stages - 2);
    if (isOnly) {
      // Its values are on their way.
    } else if (isSingle) {
      copies.copyValues(keyBlock, now.values, now.read);
    } else {
      Value ahead = k.add(keyBlock, s.stages - 1);
      Value write = copies.next(now.read, s.stages - 1);
      k.ifThen(k.lessThan(ahead, range.end), [&] {
        copies.copyKeys(ahead, now.keys, write);
        copies.copyValues(ahead, now.values, write);
      });
    }
    if (!isOnly) {
      copies.commit();
    }
    SmallVector<Value> weights = multiplyKeys(now.read);
    Value firstKey =
        k.add(k.mul(keyBlock, s.keyBlock), k.mul(keyWarp, s.warpKeys()));
    scores.finish(firstKey, weights);
    softmax.scale(softmax.add(now.rows, weights), now.sums);
    if (isSingle) {
      awaitCopies(0);
    }
    if (isSingle && !isOnly) {
      Value ahead = k.add(keyBlock, 1);
      k.ifThen(k.lessThan(ahead, range.end),
               [&] { copies.copyKeys(ahead, now.keys, now.read); });
      copies.commit();
    }
    multiplyValues(now.read, weights, now.sums);
    now.read = copies.next(now.read);
    now.keys = copies.nextKeySource(now.keys);
    now.values = copies.nextValueSource(now.values);
    return now.flat();
  };
  return first.from(k.forLoop(range.begin, range.end, 1, first.flat(), body));
}

void AttentionEmitter::copyOnlyKeys() {
  k.ifThen(k.lessThan(range.begin, range.end), [&] {
    copies.copyKeys(range.begin, copies.keySource(range.begin),
                    copies.stage(0));
  });
}

void AttentionEmitter::copyOnlyValues() {
  k.ifThen(k.lessThan(range.begin, range.end), [&] {
    copies.copyValues(range.begin, copies.valueSource(range.begin),
                      copies.stage(0));
  });
  copies.commit();
}

void AttentionEmitter::copyEarly() {
  copyOnlyKeys();
  copyOnlyValues();
}

void AttentionEmitter::copyFirst(bool early) {
  bool copiesQuery = !g.fusion.madeQuery;
  if (copiesQuery) {
    copies.copyQuery();
  }
  SmallVector<BlockElements> elements =
      made.updates(early ? range.begin : Value());
  if (early) {
    copies.commit();
    if (!copiesQuery) {
      llvm::append_range(elements, made.query());
    }
    // New rows belong over what was copied of their places.
    emitElements(k, s.threads(), elements, [&] { await(0); });
    k.barrier();
    haveLanded = !elements.empty();
    return;
  }
  if (!elements.empty()) {
    emitElements(k, s.threads(), elements);
    k.barrier();
  }
  for (int64_t i = 0; i != std::max<int64_t>(s.stages - 1, 1); ++i) {
    Value keyBlock = k.add(range.begin, i);
    k.ifThen(k.lessThan(keyBlock, range.end), [&] {
      copies.copyKeys(keyBlock, copies.keySource(keyBlock), copies.stage(i));
      if (s.stages > 1) {
        copies.copyValues(keyBlock, copies.valueSource(keyBlock),
                          copies.stage(i));
      }
    });
    copies.commit();
  }
  if (g.hasOneKeyBlock()) {
    copyOnlyValues();
  }
  if (!copiesQuery) {
    // While keys and values are on their way.
    emitElements(k, s.threads(), made.query());
  }
}

void AttentionEmitter::emit(const AttentionOutput::Memory &memory) {
  if (g.keepsQuery()) {
    awaitCopies(g.hasOneKeyBlock() ? 1 : std::max<int64_t>(s.stages - 2, 0));
    SmallVector<Fragment> loaded;
    for (int64_t tile = 0; tile != s.rowTiles; ++tile) {
      for (int64_t step = 0; step != g.query.padded / 16; ++step) {
        loaded.push_back(queryFragment(tile, step));
      }
    }
    query = std::move(loaded);
  }
  Value firstRow = k.add(rows.firstRow(), k.mul(rowWarp, 16 * s.rowTiles));
  Scores scores(k, g, rows, firstRow, lane);
  OnlineSoftmax softmax(k, scores.factor());
  State state = loop(scores, softmax);
  for (RowState &row : state.rows) {
    softmax.finish(row);
  }
  if (g.sharedParts() > 0) {
    // Its memory becomes that of the parts.
    await(0);
  }
  AttentionOutput(k, g, rows, scores, softmax, memory)
      .emit(state.rows, state.sums, keyWarp, lane);
}

} // namespace

void emitAttention(Location loc, ModuleOp device, StringRef name,
                   const AttentionGeometry &g, int64_t pointers,
                   const std::optional<RunBound> &bound, bool copiesEarly) {
  OpBuilder builder(device.getContext());
  KernelLaunchBounds bounds;
  bounds.threads = g.schedule.threads();
  bounds.clusterX = g.schedule.clustered ? g.schedule.split : 0;
  int64_t word = pointers + (g.meetsInMemory() ? 2 : 0);
  bool makes = g.fusion.makesOperands();
  bounds.pointers = word + (bound || makes ? 1 : 0);
  KernelEntry entry = KernelEntry::create(builder, loc, device, name, bounds);
  CudaKernelBuilder k(builder, loc);
  if (bound) {
    // Blocks that share rows have them of the same batch: all of them end.
    Value needed = bound->emitCount(k, entry.parameter(word), g.fusion.batch);
    Value batch = BlockRows::batchOf(k, g, BlockRows::block(k, g));
    auto ofRun = scf::IfOp::create(builder, loc, k.lessThan(batch, needed),
                                   /*withElseRegion=*/false);
    builder.setInsertionPointToStart(ofRun.thenBlock());
  }
  Value shared = dynamicShared(builder, loc, device);
  auto memory = AttentionOutput::Memory::of(g, entry, shared, pointers);
  bool programmatic = g.schedule.programmatic;
  auto wait = [&] { k.waitForEarlierLaunches(programmatic); };
  if (g.schedule.wgmma) {
    wait();
    emitWarpGroups(k, g, entry, memory);
    return;
  }
  AttentionOutput::joinCluster(k, g);
  if (!copiesEarly) {
    emitKeysAhead(k, g, entry);
    wait();
  }
  AttentionEmitter emitter(k, g, entry, makes ? entry.parameter(word) : Value(),
                           shared);
  if (copiesEarly) {
    emitter.copyEarly();
    wait();
    k.allowLaterLaunches(programmatic);
  }
  emitter.copyFirst(copiesEarly);
  if (!copiesEarly) {
    k.allowLaterLaunches(programmatic);
  }
  emitter.emit(memory);
}

} // namespace minic::cuda
