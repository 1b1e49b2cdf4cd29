// SPDX-License-Identifier: Apache-2.0
//
// A block has some rows of the query and walks over their keys. Scores, weights
// and sums stay in registers: a warp's tile of weights is, as it lies, the left
// operand of its product with the values. (Dao, FlashAttention-2, 2023.)

#include "compiler/target/cuda/attention/EmitAttention.h"

#include "compiler/target/cuda/attention/AttentionOutput.h"
#include "compiler/target/cuda/attention/RowCopy.h"
#include "compiler/target/cuda/attention/TensorCore.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;

namespace minic::cuda {

namespace {

class AttentionEmitter {
public:
  AttentionEmitter(CudaKernelBuilder &k, const AttentionGeometry &g,
                   KernelEntry entry, Value shared)
      : k(k), g(g), s(g.schedule), entry(entry), shared(shared),
        core(k, g.fusion.query.storage), thread(k.threadIdX()),
        warp(k.warpId()), lane(k.laneId()), rowWarp(k.div(warp, s.keyWarps)),
        keyWarp(k.rem(warp, s.keyWarps)),
        queryCopy(k, g.query, s.rowBlock(), s.threads(), thread),
        keyCopy(k, g.key, s.keyBlock, s.threads(), thread),
        valueCopy(k, g.value, s.keyBlock, s.threads(), thread) {}

  void emit(int64_t pointers);

private:
  /// Which blocks of keys this block has: [begin, end).
  struct Range {
    Value begin, end;
  };
  /// What the loop over blocks of keys carries.
  struct State {
    SmallVector<RowState> rows;
    SmallVector<Value> sums;
    Value read; // where its stage is
    /// What is copied next. Carried, they need no register for each row of a
    /// thread.
    Value keys, values;

    SmallVector<Value> flat() const;
    State from(ValueRange values) const;
  };

  Range keyRange(BlockRows &rows);
  void copyQuery(BlockRows &rows);
  /// Where the thread's first bytes of a block of keys or values are.
  Value source(RowCopy &copy, const AttentionFusion::Access &access,
               BlockRows &rows, Value keyBlock);
  void copyRows(RowCopy &copy, const AttentionFusion::Access &access,
                BlockRows &rows, Value keyBlock, Value from, Value to);
  Value keySource(BlockRows &rows, Value keyBlock) {
    return source(keyCopy, g.fusion.key, rows, keyBlock);
  }
  Value valueSource(BlockRows &rows, Value keyBlock) {
    return source(valueCopy, g.fusion.value, rows, keyBlock);
  }
  void copyKeys(BlockRows &rows, Value keyBlock, Value from, Value stage) {
    copyRows(keyCopy, g.fusion.key, rows, keyBlock, from, stage);
  }
  void copyValues(BlockRows &rows, Value keyBlock, Value from, Value stage) {
    copyRows(valueCopy, g.fusion.value, rows, keyBlock, from,
             k.add(stage, g.keyBytes()));
  }
  /// `from`, a block on.
  Value advance(Value from, const AttentionFusion::Access &access) {
    return k.advance(from, s.keyBlock * access.strides[2], access.storage);
  }
  void commit() { NVVM::CpAsyncCommitGroupOp::create(k.b, k.loc); }
  void await(int64_t groups) {
    NVVM::CpAsyncWaitGroupOp::create(k.b, k.loc, int32_t(groups));
    k.barrier();
  }

  Value at(Value position) {
    return k.advance(shared, position, k.b.getI8Type());
  }
  Value stage(int64_t number) {
    return k.i32(g.queryBytes() + number * g.stageBytes());
  }
  Value next(Value position);

  Fragment queryFragment(int64_t tile, int64_t step);
  SmallVector<Value> multiplyKeys(Value stage);
  void multiplyValues(Value stage, ArrayRef<Value> weights,
                      MutableArrayRef<Value> sums);
  State loop(BlockRows &rows, Scores &scores, OnlineSoftmax &softmax,
             Range range);

  CudaKernelBuilder &k;
  const AttentionGeometry &g;
  const AttentionSchedule &s;
  KernelEntry entry;
  Value shared;
  TensorCore core;
  Value thread, warp, lane, rowWarp, keyWarp;
  RowCopy queryCopy, keyCopy, valueCopy;
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

AttentionEmitter::Range AttentionEmitter::keyRange(BlockRows &rows) {
  KeyInterval seen = rows.seenByAny(rows.firstRow(), s.rowBlock());
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
  begin = k.add(begin, k.mul(k.blockIdY(), each));
  return {begin, k.min(end, k.add(begin, each))};
}

void AttentionEmitter::copyQuery(BlockRows &rows) {
  const AttentionFusion::Access &access = g.fusion.query;
  Value first = k.add(rows.firstRow(), queryCopy.row());
  Value left;
  if (g.rows() % s.rowBlock() != 0) {
    left = k.sub(k.i32(g.rows()), rows.firstRow());
  }
  queryCopy.issue(
      shared,
      [&](int64_t row) {
        Value from = rows.pointer(
            access, rows.address(access, rows.clamp(k.add(first, row))));
        return k.advance(from, queryCopy.bytes(), k.b.getI8Type());
      },
      left);
}

Value AttentionEmitter::source(RowCopy &copy,
                               const AttentionFusion::Access &access,
                               BlockRows &rows, Value keyBlock) {
  Value row =
      arith::ExtUIOp::create(k.b, k.loc, k.b.getI64Type(),
                             k.add(k.mul(keyBlock, s.keyBlock), copy.row()));
  Value from = k.add(rows.keyAddress(access), k.mul(row, access.strides[2]));
  return k.advance(rows.pointer(access, from), copy.bytes(), k.b.getI8Type());
}

/// LLVM would carry the address of each row of a thread through the loop, a
/// pair of registers each. It cannot see through this, and adds constants
/// instead.
static Value hideOrigin(CudaKernelBuilder &k, Value pointer) {
  return LLVM::InlineAsmOp::create(
             k.b, k.loc, pointer.getType(), ValueRange{pointer},
             "mov.b64 $0, $1;", "=l,l", /*has_side_effects=*/false,
             /*is_align_stack=*/false, LLVM::TailCallKind::None,
             LLVM::AsmDialectAttr::get(k.b.getContext(),
                                       LLVM::AsmDialect::AD_ATT),
             /*operand_attrs=*/ArrayAttr())
      .getResult(0);
}

void AttentionEmitter::copyRows(RowCopy &copy,
                                const AttentionFusion::Access &access,
                                BlockRows &rows, Value keyBlock, Value from,
                                Value to) {
  Value left, hidden = hideOrigin(k, from);
  if (g.fusion.keyLength || g.fusion.keys % s.keyBlock != 0) {
    left = k.sub(rows.keys(), k.mul(keyBlock, s.keyBlock));
  }
  copy.issue(
      at(to),
      [&](int64_t first) {
        return k.advance(hidden, first * access.strides[2], access.storage);
      },
      left);
}

/// The stage behind the one at `position`, in a ring.
Value AttentionEmitter::next(Value position) {
  if (s.stages == 1) {
    return position;
  }
  Value behind = k.add(position, g.stageBytes());
  Value wraps =
      arith::CmpIOp::create(k.b, k.loc, arith::CmpIPredicate::eq, behind,
                            k.i32(g.queryBytes() + s.stages * g.stageBytes()));
  return arith::SelectOp::create(k.b, k.loc, wraps, stage(0), behind);
}

/// Lanes 0 to 15 point to rows, the others to their second 16 bytes.
Fragment AttentionEmitter::queryFragment(int64_t tile, int64_t step) {
  if (!query.empty()) {
    return query[size_t(tile * g.query.padded / 16 + step)];
  }
  Value row = k.add(k.mul(rowWarp, 16 * s.rowTiles), k.rem(lane, 16));
  Value offset = k.add(k.mul(row, g.query.pitch()), k.mul(k.div(lane, 16), 16));
  return core.load(k.advance(at(offset),
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
  Value first =
      at(k.add(stage, k.add(k.mul(key, g.key.pitch()), k.mul(chunk, 16))));
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
  Value first = at(k.add(k.add(stage, g.keyBytes()), offset));
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

AttentionEmitter::State AttentionEmitter::loop(BlockRows &rows, Scores &scores,
                                               OnlineSoftmax &softmax,
                                               Range range) {
  Value zero = arith::ConstantOp::create(k.b, k.loc, k.b.getF32FloatAttr(0));
  State first;
  for (int64_t i = 0; i != scores.count(); ++i) {
    first.rows.push_back(softmax.start());
  }
  first.sums.assign(size_t(s.rowTiles * g.value.padded / 2), zero);
  bool isSingle = s.stages == 1;
  first.read = stage(0);
  first.keys = keySource(rows, k.add(range.begin, isSingle ? 1 : s.stages - 1));
  first.values =
      valueSource(rows, k.add(range.begin, isSingle ? 0 : s.stages - 1));
  auto body = [&](Value keyBlock, ValueRange values) {
    State now = first.from(values);
    // Copies of this block have landed, and all warps have left the stage that
    // the next copies overwrite.
    await(isSingle ? 0 : s.stages - 2);
    if (isSingle) {
      copyValues(rows, keyBlock, now.values, now.read);
    } else {
      Value ahead = k.add(keyBlock, s.stages - 1), write = now.read;
      for (int64_t i = 1; i != s.stages; ++i) {
        write = next(write);
      }
      k.ifThen(k.lessThan(ahead, range.end), [&] {
        copyKeys(rows, ahead, now.keys, write);
        copyValues(rows, ahead, now.values, write);
      });
    }
    commit();
    SmallVector<Value> weights = multiplyKeys(now.read);
    Value firstKey =
        k.add(k.mul(keyBlock, s.keyBlock), k.mul(keyWarp, s.warpKeys()));
    scores.finish(firstKey, weights);
    softmax.add(now.rows, weights, now.sums);
    if (isSingle) {
      await(0);
      Value ahead = k.add(keyBlock, 1);
      k.ifThen(k.lessThan(ahead, range.end),
               [&] { copyKeys(rows, ahead, now.keys, now.read); });
      commit();
    }
    multiplyValues(now.read, weights, now.sums);
    now.read = next(now.read);
    now.keys = advance(now.keys, g.fusion.key);
    now.values = advance(now.values, g.fusion.value);
    return now.flat();
  };
  return first.from(k.forLoop(range.begin, range.end, 1, first.flat(), body));
}

void AttentionEmitter::emit(int64_t pointers) {
  k.waitForEarlierLaunches(s.programmatic);
  BlockRows rows(k, g, entry);
  Range range = keyRange(rows);
  copyQuery(rows);
  for (int64_t i = 0; i != std::max<int64_t>(s.stages - 1, 1); ++i) {
    Value keyBlock = k.add(range.begin, i);
    k.ifThen(k.lessThan(keyBlock, range.end), [&] {
      copyKeys(rows, keyBlock, keySource(rows, keyBlock), stage(i));
      if (s.stages > 1) {
        copyValues(rows, keyBlock, valueSource(rows, keyBlock), stage(i));
      }
    });
    commit();
  }
  k.allowLaterLaunches(s.programmatic);
  if (g.keepsQuery()) {
    await(std::max<int64_t>(s.stages - 2, 0));
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
  State state = loop(rows, scores, softmax, range);
  for (RowState &row : state.rows) {
    softmax.finish(row);
  }
  if (s.keyWarps > 1) {
    // Its memory becomes that of the parts.
    await(0);
  }
  AttentionOutput::Memory memory{shared, {}, {}};
  if (s.split > 1) {
    memory.workspace = entry.parameter(pointers);
    memory.counters = entry.parameter(pointers + 1);
  }
  AttentionOutput(k, g, rows, scores, softmax, memory)
      .emit(state.rows, state.sums, keyWarp, lane);
}

} // namespace

void emitAttention(Location loc, ModuleOp device, StringRef name,
                   const AttentionGeometry &g, int64_t pointers) {
  OpBuilder builder(device.getContext());
  KernelLaunchBounds bounds;
  bounds.threads = g.schedule.threads();
  bounds.pointers = pointers + (g.schedule.split > 1 ? 2 : 0);
  KernelEntry entry = KernelEntry::create(builder, loc, device, name, bounds);
  CudaKernelBuilder k(builder, loc);
  AttentionEmitter(k, g, entry, dynamicShared(builder, loc, device))
      .emit(pointers);
}

} // namespace minic::cuda
