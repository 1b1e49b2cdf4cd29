// SPDX-License-Identifier: Apache-2.0
//
// The walk of EmitAttention.cpp by warp groups, whose products run by
// themselves: those of one warp group while another makes weights, and, with
// `ahead`, those of the next keys and of the values before while the warp group
// itself does. (Shah et al., FlashAttention-3, 2024.)

#include "compiler/target/cuda/attention/EmitWarpGroups.h"

#include "compiler/target/cuda/Wgmma.h"
#include "compiler/target/cuda/attention/BlockCopies.h"
#include "compiler/target/cuda/attention/RolledLoops.h"
#include "compiler/target/cuda/attention/WarpGroupProducts.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace minic::cuda {

namespace {

class WarpGroupEmitter {
public:
  /// Earlier launches are complete.
  WarpGroupEmitter(CudaKernelBuilder &k, const AttentionGeometry &g,
                   KernelEntry entry, Value shared)
      : k(k), g(g), s(g.schedule), warp(k.warpId()), lane(k.laneId()),
        rows(k, g, entry), range(rows.keyBlocks()),
        copies(k, g, rows, shared, k.threadIdX()), products(k, g, shared, warp),
        scores(k, g, rows, k.add(rows.firstRow(), k.mul(warp, 16)), lane),
        softmax(k, scores.factor()) {}

  void emit(const AttentionOutput::Memory &memory);

private:
  /// What the loop over blocks of keys carries.
  struct State {
    SmallVector<RowState> rows;
    SmallVector<Value> sums;
    /// With `ahead`: of the block before, packed.
    SmallVector<Value> weights;
    Value read, before; // stages of this block and of the one before
    Value keys, values; // what is copied next

    SmallVector<Value> flat() const;
    State from(ValueRange values) const;
  };

  State start();
  void copyFirst();
  /// Copies blocks that there are, as one group.
  void copy(Value keys, Value keySource, Value keyStage, Value values,
            Value valueSource, Value valueStage);
  /// Until the copies of all but `groups` groups have landed and tensor cores
  /// see them. All warps have left the stages of the turn before.
  void await(int64_t groups);
  /// Makes weights of the products of block number `keyBlock`; returns what
  /// sums are scaled by.
  SmallVector<Value> weigh(Value keyBlock, MutableArrayRef<Value> products,
                           MutableArrayRef<RowState> rows);
  /// Starts adding packed weights times the values of a stage to `sums`.
  void addValues(Value stage, ArrayRef<Value> packed,
                 MutableArrayRef<Value> sums);
  /// `values` are what `change` makes of them, if the block has keys.
  void ifKeys(SmallVector<Value> &values,
              llvm::function_ref<void(SmallVector<Value> &)> change);
  State loop();
  void weighFirst(State &state);
  State loopAhead();

  CudaKernelBuilder &k;
  const AttentionGeometry &g;
  const AttentionSchedule &s;
  Value warp, lane;
  BlockRows rows;
  BlockRows::KeyBlocks range;
  BlockCopies copies;
  WarpGroupProducts products;
  Scores scores;
  OnlineSoftmax softmax;
};

SmallVector<Value> WarpGroupEmitter::State::flat() const {
  SmallVector<Value> flat;
  for (const RowState &row : rows) {
    flat.append({row.greatest, row.sum});
  }
  flat.append(sums);
  flat.append(weights);
  flat.append({read, before, keys, values});
  return flat;
}

/// `flat` in the places of this state's.
WarpGroupEmitter::State WarpGroupEmitter::State::from(ValueRange flat) const {
  State state;
  auto take = [&](size_t count) {
    SmallVector<Value> taken = llvm::to_vector(flat.take_front(count));
    flat = flat.drop_front(count);
    return taken;
  };
  for (size_t i = 0; i != rows.size(); ++i) {
    SmallVector<Value> row = take(2);
    state.rows.push_back({row[0], row[1]});
  }
  state.sums = take(sums.size());
  state.weights = take(weights.size());
  state.read = flat[0];
  state.before = flat[1];
  state.keys = flat[2];
  state.values = flat[3];
  return state;
}

WarpGroupEmitter::State WarpGroupEmitter::start() {
  Value zero = arith::ConstantOp::create(k.b, k.loc, k.b.getF32FloatAttr(0));
  State state;
  for (int64_t i = 0; i != scores.count(); ++i) {
    state.rows.push_back(softmax.start());
  }
  state.sums.assign(size_t(g.value.padded / 2), zero);
  state.read = state.before = copies.stage(0);
  return state;
}

void WarpGroupEmitter::copy(Value keys, Value keySource, Value keyStage,
                            Value values, Value valueSource, Value valueStage) {
  k.ifThen(k.lessThan(keys, range.end),
           [&] { copies.copyKeys(keys, keySource, keyStage); });
  k.ifThen(k.lessThan(values, range.end),
           [&] { copies.copyValues(values, valueSource, valueStage); });
  copies.commit();
}

void WarpGroupEmitter::copyFirst() {
  copies.copyQuery();
  int64_t groups = s.ahead ? s.stages : s.stages - 1;
  for (int64_t i = 0; i != groups; ++i) {
    // With `ahead`, values are multiplied a turn later than keys.
    int64_t ofValues = s.ahead ? i - 1 : i;
    Value keys = k.add(range.begin, i);
    k.ifThen(k.lessThan(keys, range.end), [&] {
      copies.copyKeys(keys, copies.keySource(keys), copies.stage(i));
    });
    if (ofValues >= 0) {
      Value values = k.add(range.begin, ofValues);
      k.ifThen(k.lessThan(values, range.end), [&] {
        copies.copyValues(values, copies.valueSource(values),
                          copies.stage(ofValues));
      });
    }
    copies.commit();
  }
}

void WarpGroupEmitter::await(int64_t groups) {
  copies.await(groups);
  fenceProxy(k);
  k.barrier();
}

SmallVector<Value> WarpGroupEmitter::weigh(Value keyBlock,
                                           MutableArrayRef<Value> products,
                                           MutableArrayRef<RowState> rows) {
  scores.finish(k.mul(keyBlock, s.keyBlock), products);
  return softmax.add(rows, products);
}

void WarpGroupEmitter::addValues(Value stage, ArrayRef<Value> packed,
                                 MutableArrayRef<Value> sums) {
  SmallVector<Value> taken(packed);
  taken.append(sums.begin(), sums.end());
  fenceWgmma(k, taken);
  llvm::copy(ArrayRef(taken).drop_front(packed.size()), sums.begin());
  products.multiplyValues(stage, ArrayRef(taken).take_front(packed.size()),
                          sums);
}

WarpGroupEmitter::State WarpGroupEmitter::loop() {
  State first = start();
  first.keys = copies.keySource(k.add(range.begin, s.stages - 1));
  first.values = copies.valueSource(k.add(range.begin, s.stages - 1));
  auto body = [&](Value keyBlock, ValueRange carried) {
    State now = first.from(carried);
    await(s.stages - 2);
    Value ahead = k.add(keyBlock, s.stages - 1);
    Value write = copies.next(now.read, s.stages - 1);
    copy(ahead, now.keys, write, ahead, now.values, write);
    fenceWgmma(k, {});
    SmallVector<Value> weights = products.multiplyKeys(now.read);
    awaitWgmma(k, 0, weights);
    SmallVector<Value> factors = weigh(keyBlock, weights, now.rows);
    softmax.scale(factors, now.sums);
    addValues(now.read, products.pack(weights), now.sums);
    awaitWgmma(k, 0, now.sums);
    now.read = copies.next(now.read);
    now.keys = copies.nextKeySource(now.keys);
    now.values = copies.nextValueSource(now.values);
    return now.flat();
  };
  return first.from(k.forLoop(range.begin, range.end, 1, first.flat(), body));
}

void WarpGroupEmitter::ifKeys(
    SmallVector<Value> &values,
    llvm::function_ref<void(SmallVector<Value> &)> change) {
  if (!rows.mayBeEmpty()) {
    return change(values);
  }
  SmallVector<Type> types = llvm::to_vector(ValueRange(values).getTypes());
  auto branch =
      scf::IfOp::create(k.b, k.loc, types, k.lessThan(range.begin, range.end),
                        /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(k.b);
  k.b.setInsertionPointToStart(&branch.getElseRegion().front());
  scf::YieldOp::create(k.b, k.loc, values);
  k.b.setInsertionPointToStart(&branch.getThenRegion().front());
  change(values);
  scf::YieldOp::create(k.b, k.loc, values);
  values = llvm::to_vector(ValueRange(branch.getResults()));
}

/// Of the first block: there are no sums yet.
void WarpGroupEmitter::weighFirst(State &state) {
  await(s.stages - 1);
  SmallVector<Value> values;
  for (const RowState &row : state.rows) {
    values.append({row.greatest, row.sum});
  }
  values.append(size_t(s.keyBlock / 4), k.i32(0));
  ifKeys(values, [&](SmallVector<Value> &values) {
    fenceWgmma(k, {});
    SmallVector<Value> weights = products.multiplyKeys(state.read);
    awaitWgmma(k, 0, weights);
    SmallVector<RowState> rows = state.rows;
    weigh(range.begin, weights, rows);
    values.clear();
    for (const RowState &row : rows) {
      values.append({row.greatest, row.sum});
    }
    values.append(products.pack(weights));
  });
  for (size_t i = 0; i != state.rows.size(); ++i) {
    state.rows[i] = {values[2 * i], values[2 * i + 1]};
  }
  state.weights.assign(values.begin() + ptrdiff_t(2 * state.rows.size()),
                       values.end());
}

WarpGroupEmitter::State WarpGroupEmitter::loopAhead() {
  State first = start();
  weighFirst(first);
  first.read = copies.stage(1);
  first.keys = copies.keySource(k.add(range.begin, s.stages));
  first.values = copies.valueSource(k.add(range.begin, s.stages - 1));
  auto body = [&](Value keyBlock, ValueRange carried) {
    State now = first.from(carried);
    await(s.stages - 2);
    copy(k.add(keyBlock, s.stages - 1), now.keys, now.before,
         k.add(keyBlock, s.stages - 2), now.values,
         copies.next(now.read, s.stages - 2));
    fenceWgmma(k, {});
    SmallVector<Value> weights = products.multiplyKeys(now.read);
    addValues(now.before, now.weights, now.sums);
    awaitWgmma(k, 1, weights);
    SmallVector<Value> factors = weigh(keyBlock, weights, now.rows);
    awaitWgmma(k, 0, now.sums);
    softmax.scale(factors, now.sums);
    now.weights = products.pack(weights);
    now.before = now.read;
    now.read = copies.next(now.read);
    now.keys = copies.nextKeySource(now.keys);
    now.values = copies.nextValueSource(now.values);
    return now.flat();
  };
  State last = first.from(
      k.forLoop(k.add(range.begin, 1), range.end, 1, first.flat(), body));
  // The assembler serialized the products of one that it unrolled.
  keepLoopsRolled(k.b, k.b.getInsertionBlock()->getParentOp());
  await(s.stages - 2);
  ifKeys(last.sums, [&](SmallVector<Value> &sums) {
    addValues(last.before, last.weights, sums);
    awaitWgmma(k, 0, sums);
  });
  return last;
}

void WarpGroupEmitter::emit(const AttentionOutput::Memory &memory) {
  copyFirst();
  k.allowLaterLaunches(s.programmatic);
  State state = s.ahead ? loopAhead() : loop();
  for (RowState &row : state.rows) {
    softmax.finish(row);
  }
  AttentionOutput(k, g, rows, scores, softmax, memory)
      .emit(state.rows, state.sums, /*keyWarp=*/k.i32(0), lane);
}

} // namespace

void emitWarpGroups(CudaKernelBuilder &builder,
                    const AttentionGeometry &geometry, KernelEntry entry,
                    const AttentionOutput::Memory &memory) {
  WarpGroupEmitter(builder, geometry, entry, memory.shared).emit(memory);
}

} // namespace minic::cuda
