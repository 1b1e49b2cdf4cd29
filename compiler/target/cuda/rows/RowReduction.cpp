// SPDX-License-Identifier: Apache-2.0
//
// Lanes by a tree, threads by shuffles, warps through shared memory. Each state
// has a place of its own there, so that one barrier is enough.

#include "compiler/target/cuda/rows/RowReduction.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace minic::cuda {

/// Of a state in shared memory, whatever its type.
constexpr int64_t kSlotBytes = 8;
/// No reduction has more values in its state: arg_reduce's are two.
constexpr int64_t kMostValues = 2;

int64_t sharedBytes(const RowFusion &rows, const RowSchedule &schedule) {
  if (schedule.threads <= 32) {
    return 0;
  }
  int64_t reductions = llvm::count_if(
      rows.nodes, [&](const auto &node) { return rows.isReduction(node); });
  return reductions * kMostValues * schedule.blockThreads() / 32 * kSlotBytes;
}

SmallVector<Value> RowMerger::mergeLanes(graph::ReductionOpInterface op,
                                         ValueRange state) {
  auto vector = dyn_cast<VectorType>(state[0].getType());
  if (!vector) {
    return SmallVector<Value>(state);
  }
  SmallVector<SmallVector<Value>> lanes(vector.getNumElements());
  for (auto [i, lane] : llvm::enumerate(lanes)) {
    for (Value value : state) {
      lane.push_back(vector::ExtractOp::create(k.b, k.loc, value, int64_t(i)));
    }
  }
  while (lanes.size() > 1) {
    size_t half = lanes.size() / 2;
    for (size_t i = 0; i != half; ++i) {
      lanes[i] = op.emitMerge(k.b, lanes[i], lanes[i + half]);
    }
    lanes.resize(half);
  }
  return lanes[0];
}

/// Of the thread whose number differs by the bits `flips`.
Value RowMerger::shuffle(Value value, int64_t flips) {
  Type type = value.getType(), i32 = k.b.getI32Type();
  auto exchange = [&](Value word) -> Value {
    return NVVM::ShflOp::create(k.b, k.loc, word.getType(), k.i32(-1), word,
                                k.i32(flips), k.i32(31), NVVM::ShflKind::bfly,
                                UnitAttr());
  };
  if (type.isF32() || type == i32) {
    return exchange(value);
  }
  if (type.getIntOrFloatBitWidth() < 32) {
    Value word = arith::ExtUIOp::create(k.b, k.loc, i32, value);
    return arith::TruncIOp::create(k.b, k.loc, type, exchange(word));
  }
  Value shift = k.i64(32);
  Value low = arith::TruncIOp::create(k.b, k.loc, i32, value);
  Value high = arith::TruncIOp::create(
      k.b, k.loc, i32, arith::ShRUIOp::create(k.b, k.loc, value, shift));
  low = arith::ExtUIOp::create(k.b, k.loc, type, exchange(low));
  high = arith::ExtUIOp::create(k.b, k.loc, type, exchange(high));
  return arith::OrIOp::create(k.b, k.loc, low,
                              arith::ShLIOp::create(k.b, k.loc, high, shift));
}

SmallVector<Value> RowMerger::mergeInWarp(graph::ReductionOpInterface op,
                                          SmallVector<Value> state,
                                          int64_t threads) {
  for (int64_t flips = threads / 2; flips >= 1; flips /= 2) {
    SmallVector<Value> other;
    for (Value value : state) {
      other.push_back(shuffle(value, flips));
    }
    state = op.emitMerge(k.b, state, other);
  }
  return state;
}

Value RowMerger::slot(int64_t number, Value warp) {
  int64_t warps = schedule.blockThreads() / 32;
  Value at = k.add(k.mul(warp, kSlotBytes), number * warps * kSlotBytes);
  return k.advance(shared, at, k.b.getI8Type());
}

SmallVector<SmallVector<Value>>
RowMerger::mergeThreads(ArrayRef<graph::ReductionOpInterface> ops,
                        States states) {
  for (auto [op, state] : llvm::zip_equal(ops, states)) {
    state = mergeInWarp(op, state, std::min<int64_t>(schedule.threads, 32));
  }
  if (schedule.threads <= 32) {
    return states;
  }
  Value warp = k.div(k.threadIdX(), 32), lane = k.laneId();
  int64_t first = used;
  Value isFirst = arith::CmpIOp::create(k.b, k.loc, arith::CmpIPredicate::eq,
                                        lane, k.i32(0));
  k.ifThen(isFirst, [&] {
    for (const auto &state : states) {
      for (Value value : state) {
        k.storeAligned(value, slot(used++, warp));
      }
    }
  });
  k.barrier();
  // The warps of this row are neighbours, and a power of two.
  Value row = k.mul(k.div(warp, warpsPerRow()), warpsPerRow());
  Value from = k.add(row, k.rem(lane, warpsPerRow()));
  int64_t next = first;
  for (auto [op, state] : llvm::zip_equal(ops, states)) {
    for (Value &value : state) {
      value = k.loadAligned(value.getType(), slot(next++, from));
    }
    state = mergeInWarp(op, state, warpsPerRow());
  }
  return states;
}

} // namespace minic::cuda
