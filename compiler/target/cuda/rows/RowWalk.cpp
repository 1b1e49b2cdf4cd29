// SPDX-License-Identifier: Apache-2.0
//
// Pass by pass: what the reductions of a pass need is computed for each column
// that the thread has, then their states are merged. Where a thread keeps its
// columns, values computed in one pass are there in the next.

#include "compiler/target/cuda/rows/RowWalk.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace minic::cuda {

using graph::ReductionOpInterface;

void RowWalk::keepConstants(const llvm::SmallBitVector &constants) {
  keptAhead = values.readBy(0, rows.passes());
  llvm::erase_if(keptAhead, [&](size_t node) {
    return !constants[rows.reads[rows.nodes[node].read].argument];
  });
  kept = values.columnsFrom(k.i32(0));
  values.load(kept, keptAhead);
}

void RowWalk::keep(int64_t from, int64_t to) {
  if (!schedule.keeps) {
    return;
  }
  if (kept.empty()) {
    kept = values.columnsFrom(k.i32(0));
  }
  SmallVector<size_t> nodes = values.readBy(from, to);
  llvm::erase_if(
      nodes, [&](size_t node) { return llvm::is_contained(keptAhead, node); });
  values.load(kept, nodes);
}

void RowWalk::all(Visit visit) {
  keep(0, rows.passes());
  values.computePerRow(0);
  for (int64_t pass = 0; pass != rows.passes(); ++pass) {
    SmallVector<size_t> ended = values.reductionsOf(pass);
    RowMerger::States states = columns(pass, ended, visit);
    if (schedule.cluster && !ended.empty()) {
      states = merger.mergeCluster(opsOf(ended), std::move(states));
    }
    values.setReduced(ended, states);
    values.computePerRow(pass + 1);
  }
}

RowMerger::States RowWalk::columns(int64_t pass, ArrayRef<size_t> reductions,
                                   Visit visit) {
  SmallVector<Value> initial;
  for (size_t node : reductions) {
    llvm::append_range(initial,
                       values.reduction(node).emitInit(k.b, stateShape()));
  }
  SmallVector<Value> all =
      overColumns(pass, initial, [&](Columns &columns, ValueRange carried) {
        SmallVector<Value> next = combine(reductions, columns, carried);
        visit(pass, columns);
        return next;
      });
  if (reductions.empty()) {
    return {};
  }
  RowMerger::States states;
  ValueRange rest = all;
  for (size_t node : reductions) {
    size_t count = values.reduction(node).emitInit(k.b, {}).size();
    llvm::append_range(states, merger.mergeLanes(values.reduction(node),
                                                 rest.take_front(count)));
    rest = rest.drop_front(count);
  }
  return merger.mergeThreads(opsOf(reductions), std::move(states));
}

RowWalk::Ops RowWalk::opsOf(ArrayRef<size_t> reductions) const {
  Ops ops;
  for (size_t node : reductions) {
    ops.append(size_t(schedule.across), values.reduction(node));
  }
  return ops;
}

SmallVector<int64_t> RowWalk::stateShape() const {
  return schedule.lanes() == 1 ? SmallVector<int64_t>()
                               : SmallVector<int64_t>{schedule.lanes()};
}

SmallVector<Value> RowWalk::overColumns(
    int64_t pass, ValueRange initial,
    llvm::function_ref<SmallVector<Value>(Columns &, ValueRange)> body) {
  auto all = [&](SmallVectorImpl<Columns> &columns, ValueRange carried) {
    SmallVector<Value> states(carried);
    for (Columns &each : columns) {
      states = body(each, states);
    }
    return states;
  };
  if (schedule.keeps) {
    return all(kept, initial);
  }
  return k.forLoop(k.i32(0), k.i32(rows.columns()), schedule.step(), initial,
                   [&](Value first, ValueRange carried) {
                     SmallVector<Columns> columns = values.columnsFrom(first);
                     values.load(columns, values.loadedAhead(pass));
                     return all(columns, carried);
                   });
}

SmallVector<Value> RowWalk::combine(ArrayRef<size_t> reductions,
                                    Columns &columns, ValueRange states) {
  SmallVector<Value> next;
  for (size_t i : reductions) {
    ReductionOpInterface op = values.reduction(i);
    size_t count = op.emitInit(k.b, {}).size();
    ValueRange before = states.take_front(count);
    states = states.drop_front(count);
    SmallVector<Value> operands;
    for (size_t operand : rows.nodes[i].operands) {
      operands.push_back(values.valueOf(operand, columns));
    }
    SmallVector<Value> after =
        op.emitCombine(k.b, before, operands, positions(op, columns));
    for (auto [was, is] : llvm::zip_equal(before, after)) {
      next.push_back(
          columns.isInside
              ? arith::SelectOp::create(k.b, k.loc, columns.isInside, is, was)
              : is);
    }
  }
  return next;
}

SmallVector<Value> RowWalk::positions(ReductionOpInterface op,
                                      Columns &columns) {
  if (!op.needsIndices()) {
    return {};
  }
  graph::IterationSpace space =
      cast<graph::FusibleOpInterface>(op.getOperation()).getIterationSpace();
  ArrayRef<int64_t> extents =
      ArrayRef(space.extents).drop_front(space.parallelCount());
  SmallVector<SmallVector<Value>> lanes(extents.size());
  for (int64_t lane = 0; lane != schedule.vector; ++lane) {
    Value rest = k.add(columns.column, lane);
    for (size_t d = extents.size(); d-- > 0;) {
      Value index = d == 0 ? rest : k.rem(rest, extents[d]);
      rest = d == 0 ? rest : k.div(rest, extents[d]);
      lanes[d].push_back(
          arith::ExtUIOp::create(k.b, k.loc, k.b.getI64Type(), index));
    }
  }
  return llvm::map_to_vector(lanes, [&](const auto &each) -> Value {
    if (schedule.vector == 1) {
      return each[0];
    }
    auto type = VectorType::get(schedule.vector, k.b.getI64Type());
    return vector::FromElementsOp::create(k.b, k.loc, type, each);
  });
}

} // namespace minic::cuda
