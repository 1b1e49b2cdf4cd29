// SPDX-License-Identifier: Apache-2.0
//
// Lanes by a tree, threads by shuffles, warps through shared memory, blocks of
// a cluster through each other's. Each state has a place of its own there, so
// that one barrier is enough.

#include "compiler/target/cuda/rows/RowReduction.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace minic::cuda {

/// Of a state in shared memory, whatever its type.
constexpr int64_t kSlotBytes = 8;

static int64_t stateValues(const RowFusion &rows, const RowSchedule &schedule) {
  return schedule.across * kMostStateValues *
         llvm::count_if(rows.nodes, [&](const auto &node) {
           return rows.isReduction(node);
         });
}

/// Of the states of warps. The last of some blocks merges a state twice: that
/// of its own threads, then that of all blocks.
static int64_t warpBytes(const RowFusion &rows, const RowSchedule &schedule) {
  if (schedule.threads <= 32) {
    return 0;
  }
  int64_t merges = schedule.usesWorkspace() ? 2 : 1;
  return merges * stateValues(rows, schedule) * schedule.blockThreads() / 32 *
         kSlotBytes;
}

int64_t sharedBytes(const RowFusion &rows, const RowSchedule &schedule) {
  int64_t bytes = warpBytes(rows, schedule);
  if (schedule.cluster) {
    bytes += stateValues(rows, schedule) * schedule.split * schedule.rows *
             kSlotBytes;
  } else if (schedule.split > 1) {
    bytes += kSlotBytes; // the flag
  }
  return bytes;
}

RowMerger::States RowMerger::lanesOf(ValueRange state) {
  auto vector = dyn_cast<VectorType>(state[0].getType());
  if (!vector) {
    return {SmallVector<Value>(state)};
  }
  States lanes(vector.getNumElements());
  for (auto [i, lane] : llvm::enumerate(lanes)) {
    for (Value value : state) {
      lane.push_back(vector::ExtractOp::create(k.b, k.loc, value, int64_t(i)));
    }
  }
  return lanes;
}

RowMerger::States RowMerger::mergeLanes(graph::ReductionOpInterface op,
                                        ValueRange state) {
  States lanes = lanesOf(state);
  if (schedule.across > 1) {
    return lanes; // of a row each
  }
  while (lanes.size() > 1) {
    size_t half = lanes.size() / 2;
    for (size_t i = 0; i != half; ++i) {
      lanes[i] = op.emitMerge(k.b, lanes[i], lanes[i + half]);
    }
    lanes.resize(half);
  }
  return lanes;
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

RowMerger::States RowMerger::mergeThreads(Ops ops, States states) {
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

Value RowMerger::flag() {
  return k.advance(shared, warpBytes(rows, schedule), k.b.getI8Type());
}

void RowMerger::joinCluster() { k.arriveAtCluster(/*ordersMemory=*/false); }

Value RowMerger::clusterSlot(int64_t number, Value part) {
  Value row = k.div(k.threadIdX(), schedule.threads);
  Value at = k.add(k.mul(row, schedule.split), part);
  at = k.add(k.mul(at, kSlotBytes),
             warpBytes(rows, schedule) +
                 number * schedule.rows * schedule.split * kSlotBytes);
  return k.advance(shared, at, k.b.getI8Type());
}

RowMerger::States RowMerger::mergeCluster(Ops ops, States states) {
  if (usedByCluster == 0) {
    k.awaitCluster(); // for joinCluster() of all
  }
  Value part = k.rem(k.blockIdX(), schedule.split);
  Value other = k.rem(k.threadIdX(), schedule.threads);
  int64_t first = usedByCluster;
  // A thread of each row for each block, the own one included.
  k.ifThen(k.lessThan(other, schedule.split), [&] {
    for (const auto &state : states) {
      for (Value value : state) {
        Value mine = clusterSlot(usedByCluster++, part);
        k.storeAligned(value, k.ofClusterBlock(mine, other));
      }
    }
  });
  k.clusterBarrier();
  for (auto [each, state] : llvm::zip_equal(ops, states)) {
    graph::ReductionOpInterface op = each;
    SmallVector<Type> types = llvm::to_vector(ValueRange(state).getTypes());
    for (int64_t i = 0; i != schedule.split; ++i) {
      SmallVector<Value> sent;
      for (auto [j, type] : llvm::enumerate(types)) {
        sent.push_back(
            k.loadAligned(type, clusterSlot(first + int64_t(j), k.i32(i))));
      }
      state = i == 0 ? sent : op.emitMerge(k.b, state, sent);
    }
    first += int64_t(types.size());
  }
  return states;
}

} // namespace minic::cuda
