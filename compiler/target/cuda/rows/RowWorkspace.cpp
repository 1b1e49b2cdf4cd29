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

Value RowWorkspace::place(size_t node, size_t value, Value part) {
  auto widen = [&](Value number) -> Value {
    return arith::ExtUIOp::create(k.b, k.loc, k.b.getI64Type(), number);
  };
  int64_t before = valuesBefore(rows, node) + int64_t(value);
  Value at = k.add(k.mul(widen(row), schedule.split), widen(part));
  at = k.add(at, before * rows.rows() * schedule.split);
  return k.advance(workspace, k.mul(at, kSlotBytes), k.b.getI8Type());
}

void RowWorkspace::store(size_t node, ValueRange state) {
  Value part = k.rem(k.blockIdX(), schedule.split);
  for (auto [i, value] : llvm::enumerate(state)) {
    k.storeAligned(value, place(node, i, part));
  }
}

RowMerger::States RowWorkspace::merge(ArrayRef<size_t> nodes) {
  SmallVector<graph::ReductionOpInterface> ops;
  SmallVector<Value> initial;
  for (size_t node : nodes) {
    ops.push_back(cast<graph::ReductionOpInterface>(rows.nodes[node].op));
    llvm::append_range(initial, ops.back().emitInit(k.b, {}));
  }
  // Each thread has some parts, then all threads' are merged as ever.
  Value first = k.rem(k.threadIdX(), schedule.threads);
  SmallVector<Value> merged = k.forLoop(
      first, k.i32(schedule.split), schedule.threads, initial,
      [&](Value part, ValueRange carried) {
        SmallVector<Value> next;
        for (auto [node, op] : llvm::zip_equal(nodes, ops)) {
          size_t count = op.emitInit(k.b, {}).size();
          SmallVector<Value> each;
          for (auto [i, value] : llvm::enumerate(carried.take_front(count))) {
            each.push_back(
                k.loadAligned(value.getType(), place(node, i, part)));
          }
          llvm::append_range(
              next, op.emitMerge(k.b, carried.take_front(count), each));
          carried = carried.drop_front(count);
        }
        return next;
      });
  RowMerger::States states;
  ValueRange rest = merged;
  for (graph::ReductionOpInterface op : ops) {
    size_t count = op.emitInit(k.b, {}).size();
    states.emplace_back(rest.take_front(count));
    rest = rest.drop_front(count);
  }
  return merger.mergeThreads(ops, std::move(states));
}

} // namespace minic::cuda
