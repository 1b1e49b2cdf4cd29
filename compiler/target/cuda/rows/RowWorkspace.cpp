// SPDX-License-Identifier: Apache-2.0
//
// A slot for each value of a state, row and part; parts of a row are
// neighbours.

#include "compiler/target/cuda/rows/RowWorkspace.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace minic::cuda {

/// Whatever the value's type.
constexpr int64_t kSlotBytes = 8;
/// Parts whose loads are on their way together: a mean of 3136 pixels of 144
/// channels took 5.8 us on an H100 as 66 parts and 11.3 as 196, one at a time.
constexpr int64_t kPartsAtOnce = 4;

/// Values of the states of all reductions before node number `end`.
static int64_t valuesBefore(const RowFusion &rows, size_t end) {
  int64_t count = 0;
  for (const RowFusion::Node &node : ArrayRef(rows.nodes).take_front(end)) {
    count += rows.isReduction(node) ? kMostStateValues : 0;
  }
  return count;
}

int64_t workspaceBytes(const RowFusion &rows, const RowSchedule &schedule) {
  return schedule.usesWorkspace()
             ? valuesBefore(rows, rows.nodes.size()) * rows.rows() *
                   schedule.split * kSlotBytes
             : 0;
}

int64_t counterBytes(const RowFusion &rows, const RowSchedule &schedule) {
  bool endsInReductions = llvm::any_of(rows.nodes, [&](const auto &node) {
    return rows.isReduction(node) && node.pass == rows.passes();
  });
  return schedule.usesWorkspace() && endsInReductions
             ? schedule.blocks(rows) / schedule.split * 4
             : 0;
}

SmallVector<RowWorkspace::Slot>
RowWorkspace::slotsOf(ArrayRef<size_t> nodes) const {
  SmallVector<Slot> slots;
  for (size_t node : nodes) {
    for (int64_t lane = 0; lane != schedule.across; ++lane) {
      slots.push_back({node, lane});
    }
  }
  return slots;
}

Value RowWorkspace::place(Slot slot, size_t value, Value part) {
  auto widen = [&](Value number) -> Value {
    return arith::ExtUIOp::create(k.b, k.loc, k.b.getI64Type(), number);
  };
  int64_t before = valuesBefore(rows, slot.node) + int64_t(value);
  Value own = k.add(widen(row), slot.lane);
  Value at = k.add(k.mul(own, schedule.split), widen(part));
  at = k.add(at, before * rows.rows() * schedule.split);
  return k.advance(workspace, k.mul(at, kSlotBytes), k.b.getI8Type());
}

void RowWorkspace::store(ArrayRef<size_t> nodes,
                         const RowMerger::States &states) {
  Value part = k.rem(k.blockIdX(), schedule.split);
  for (const auto &[slot, state] : llvm::zip_equal(slotsOf(nodes), states)) {
    for (auto [i, value] : llvm::enumerate(state)) {
      k.storeAligned(value, place(slot, i, part));
    }
  }
}

RowMerger::States RowWorkspace::merge(ArrayRef<size_t> nodes) {
  SmallVector<graph::ReductionOpInterface> ops;
  SmallVector<Value> initial;
  SmallVector<Slot> slots = slotsOf(nodes);
  for (const Slot &slot : slots) {
    ops.push_back(cast<graph::ReductionOpInterface>(rows.nodes[slot.node].op));
    llvm::append_range(initial, ops.back().emitInit(k.b, {}));
  }
  // Each thread has some parts, then all threads' are merged as ever.
  auto add = [&](ValueRange carried, ArrayRef<Value> states) {
    SmallVector<Value> next;
    for (graph::ReductionOpInterface op : ops) {
      size_t count = op.emitInit(k.b, {}).size();
      llvm::append_range(next, op.emitMerge(k.b, carried.take_front(count),
                                            states.take_front(count)));
      carried = carried.drop_front(count);
      states = states.drop_front(count);
    }
    return next;
  };
  auto load = [&](Value part) {
    SmallVector<Value> states;
    ValueRange types = initial;
    for (auto [slot, op] : llvm::zip_equal(slots, ops)) {
      size_t count = op.emitInit(k.b, {}).size();
      for (auto [i, value] : llvm::enumerate(types.take_front(count))) {
        states.push_back(k.loadAligned(value.getType(), place(slot, i, part)));
      }
      types = types.drop_front(count);
    }
    return states;
  };
  int64_t threads = schedule.threads, step = threads * kPartsAtOnce;
  Value first = k.rem(k.threadIdX(), threads);
  Value own = k.div(k.sub(k.i32(schedule.split + threads - 1), first), threads);
  Value rest = k.add(first, k.mul(k.div(own, kPartsAtOnce), step));
  SmallVector<Value> merged = k.forLoop(
      first, rest, step, initial, [&](Value part, ValueRange carried) {
        SmallVector<SmallVector<Value>> all;
        for (int64_t i = 0; i != kPartsAtOnce; ++i) {
          all.push_back(load(k.add(part, i * threads)));
        }
        SmallVector<Value> sum(carried);
        for (const auto &states : all) {
          sum = add(sum, states);
        }
        return sum;
      });
  merged = k.forLoop(
      rest, k.i32(schedule.split), threads, merged,
      [&](Value part, ValueRange carried) { return add(carried, load(part)); });
  RowMerger::States states;
  ValueRange left = merged;
  for (graph::ReductionOpInterface op : ops) {
    size_t count = op.emitInit(k.b, {}).size();
    states.emplace_back(left.take_front(count));
    left = left.drop_front(count);
  }
  return merger.mergeThreads(ops, std::move(states));
}

} // namespace minic::cuda
