// SPDX-License-Identifier: Apache-2.0
//
// A slot for each value of a state, row and piece; pieces of a row are
// neighbours.

#include "compiler/target/cpu/rows/RowPieces.h"

#include "compiler/target/cpu/rows/RowMemory.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace minic::cpu {

/// Whatever the value's type.
static constexpr int64_t kSlotBytes = 8;
/// No reduction has more values in its state: arg_reduce's are two.
static constexpr int64_t kMostValues = 2;

/// Of all reductions before node number `end`.
static int64_t valuesBefore(const RowFusion &rows, size_t end) {
  auto nodes = ArrayRef(rows.nodes).take_front(end);
  return kMostValues * llvm::count_if(nodes, [&](const auto &node) {
           return rows.isReduction(node);
         });
}

int64_t launches(const RowFusion &rows, const RowSchedule &schedule) {
  if (schedule.pieces == 1) {
    return 1;
  }
  bool hasEnd = llvm::any_of(
      rows.results, [&](const auto &result) { return rows.isPerRow(result); });
  return rows.passes() + hasEnd;
}

RowWalks walksOf(const RowFusion &rows, const RowSchedule &schedule) {
  bool hasLines = llvm::product_of(rows.columnExtents().drop_back()) > 1;
  return RowWalks::get(rows,
                       schedule.keeps && (schedule.pieces == 1 || !hasLines));
}

int64_t keptAt(const RowFusion &rows, const RowSchedule &schedule) {
  int64_t values = valuesBefore(rows, rows.nodes.size());
  return int64_t(
      llvm::alignTo(values * rows.rows() * schedule.pieces * kSlotBytes, 64));
}

int64_t workspaceBytes(const RowFusion &rows, const RowSchedule &schedule) {
  return schedule.pieces == 1
             ? 0
             : keptAt(rows, schedule) +
                   rows.rows() * scratchBytes(rows, walksOf(rows, schedule));
}

Value RowPieces::place(size_t node, size_t value, Value row, Value piece) {
  int64_t before = valuesBefore(rows, node) + int64_t(value);
  Value at = k.add(k.mul(row, pieces), piece);
  at = k.add(at, before * rows.rows() * pieces);
  return k.advance(workspace, k.mul(at, kSlotBytes), k.b.getI8Type());
}

static int64_t alignmentOf(Type type) {
  return int64_t(type.getIntOrFloatBitWidth()) / 8;
}

void RowPieces::store(size_t node, Value row, Value piece,
                      const ReductionState &state) {
  for (auto [i, value] : llvm::enumerate(state)) {
    k.storeRaw(value, place(node, i, row, piece), alignmentOf(value.getType()));
  }
}

ReductionState RowPieces::merge(size_t node, Value row) {
  auto op = cast<graph::ReductionOpInterface>(rows.nodes[node].op);
  ReductionState none = op.emitInit(k.b, {});
  auto load = [&](Value piece) {
    ReductionState state;
    for (auto [i, value] : llvm::enumerate(none)) {
      Type type = value.getType();
      state.push_back(
          k.loadRaw(type, place(node, i, row, piece), alignmentOf(type)));
    }
    return state;
  };
  return k.forLoop(k.i64(1), k.i64(pieces), 1, load(k.i64(0)),
                   [&](Value piece, ValueRange merged) {
                     return op.emitMerge(k.b, merged, load(piece));
                   });
}

} // namespace minic::cpu
