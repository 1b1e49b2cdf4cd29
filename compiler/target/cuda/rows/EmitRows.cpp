// SPDX-License-Identifier: Apache-2.0
//
// Pass by pass: what the reductions of a pass need is computed for each column
// that the thread has, then their states are merged. Where a thread keeps its
// columns, values computed in one pass are there in the next.

#include "compiler/target/cuda/rows/EmitRows.h"

#include "compiler/target/cuda/rows/RowMemory.h"
#include "compiler/target/cuda/rows/RowReduction.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace minic::cuda {

using graph::PointwiseOpInterface;
using graph::ReductionOpInterface;

namespace {

/// `vector` columns from `column` on, and what is known of them by node.
struct Columns {
  Value column;
  Value isInside; // null: always
  SmallVector<Value> raw, values;
};

/// x / d as (x * scale) * reciprocal: two roundings, as the reference allows a
/// division. The scale is 1 unless 1 / d would overflow or lose digits.
struct Divisor {
  Value scale, reciprocal; // null: nothing is divided by it
};

class Emitter {
public:
  Emitter(CudaKernelBuilder &k, const RowFusion &rows,
          const RowSchedule &schedule)
      : k(k), rows(rows), schedule(schedule),
        isExact(rows.columns() % schedule.step() == 0),
        perRow(rows.nodes.size()), divisors(rows.nodes.size()) {}

  void emit(KernelEntry entry, int64_t operands, Value shared) {
    k.allowLaterLaunches(schedule.programmatic);
    Value thread = k.threadIdX();
    Value row = k.add(k.mul(k.blockIdX(), schedule.rows),
                      k.div(thread, schedule.threads));
    // Threads of rows that are none read the last one and store nothing.
    if (rows.rows() % schedule.rows != 0) {
      isRow = k.lessThan(row, rows.rows());
      row = k.min(row, k.i32(rows.rows() - 1));
    }
    own = k.rem(thread, schedule.threads);
    RowMemory made(k, rows, entry, operands, row);
    memory = &made;
    RowMerger merging(k, schedule, shared);
    merger = &merging;
    k.waitForEarlierLaunches(schedule.programmatic);
    if (schedule.keeps) {
      kept = columnsFrom(k.i32(0));
      loadAll();
    }
    computePerRow(0);
    for (int64_t pass = 0; pass != rows.passes(); ++pass) {
      walk(pass);
    }
    storePerRow();
  }

private:
  //===--------------------------------------------------------------------===//
  // Values
  //===--------------------------------------------------------------------===//

  SmallVector<Columns> columnsFrom(Value first) {
    SmallVector<Columns> made;
    for (int64_t i = 0; i != schedule.unroll; ++i) {
      Columns each;
      each.raw.resize(rows.nodes.size());
      each.values.resize(rows.nodes.size());
      each.column = k.add(k.add(first, k.mul(own, schedule.vector)),
                          i * schedule.threads * schedule.vector);
      if (!isExact && !isAlwaysInside(i)) {
        each.isInside = k.lessThan(each.column, rows.columns());
        // Outside anything may be read.
        each.column = arith::SelectOp::create(k.b, k.loc, each.isInside,
                                              each.column, k.i32(0));
      }
      made.push_back(std::move(each));
    }
    return made;
  }

  /// Of a row that is kept.
  bool isAlwaysInside(int64_t vector) const {
    return schedule.keeps &&
           (vector + 1) * schedule.threads * schedule.vector <= rows.columns();
  }

  /// All loads are in flight together.
  void loadAll() {
    for (auto [i, node] : llvm::enumerate(rows.nodes)) {
      for (Columns &columns : kept) {
        if (!node.op && !node.isPerRow) {
          load(i, columns);
        }
      }
    }
  }

  void load(size_t node, Columns &columns) {
    columns.raw[node] =
        memory->load(rows.nodes[node].read, columns.column, schedule.vector);
  }

  Value spread(Value scalar) {
    return schedule.vector == 1 ? scalar : k.splat(scalar, schedule.vector);
  }

  /// Node number `i` at `columns`, in compute type.
  Value valueOf(size_t i, Columns &columns) {
    const RowFusion::Node &node = rows.nodes[i];
    if (columns.values[i]) {
      return columns.values[i];
    }
    Value value;
    if (node.isPerRow) {
      value = spread(perRow[i]);
    } else if (!node.op) {
      if (!columns.raw[i]) {
        load(i, columns);
      }
      value = k.toCompute(columns.raw[i], rows.reads[node.read].storage);
    } else {
      SmallVector<Value> operands;
      for (size_t operand : node.operands) {
        operands.push_back(valueOf(operand, columns));
      }
      value =
          isDivisionByRow(node)
              ? divide(operands[0], divisors[node.operands[1]])
              : cast<PointwiseOpInterface>(node.op).emitScalar(k.b, operands);
    }
    return columns.values[i] = value;
  }

  /// What is known after `pass` passes and is no reduction.
  void computePerRow(int64_t pass) {
    for (auto [i, node] : llvm::enumerate(rows.nodes)) {
      if (!node.isPerRow || node.pass != pass || rows.isReduction(node)) {
        continue;
      }
      if (!node.op) {
        Type storage = rows.reads[node.read].storage;
        perRow[i] = k.toCompute(memory->load(node.read, k.i32(0), 1), storage);
        continue;
      }
      auto operands = llvm::map_to_vector(
          node.operands, [&](size_t operand) { return perRow[operand]; });
      perRow[i] = cast<PointwiseOpInterface>(node.op).emitScalar(k.b, operands);
    }
    for (const RowFusion::Node &node : rows.nodes) {
      if (isDivisionByRow(node)) {
        prepareDivisor(node.operands[1]);
      }
    }
  }

  /// A division of floats that all columns of a row have in common.
  bool isDivisionByRow(const RowFusion::Node &node) const {
    return isa_and_present<graph::DivOp>(node.op) && !node.isPerRow &&
           rows.nodes[node.operands[1]].isPerRow &&
           isa<FloatType>(getElementTypeOrSelf(node.op->getResult(0)));
  }

  void prepareDivisor(size_t node) {
    Divisor &divisor = divisors[node];
    Value d = perRow[node];
    if (!d || divisor.reciprocal) {
      return;
    }
    auto number = [&](double value) -> Value {
      return arith::ConstantOp::create(k.b, k.loc, k.b.getF32FloatAttr(value));
    };
    Value size = math::AbsFOp::create(k.b, k.loc, d);
    auto choose = [&](arith::CmpFPredicate predicate, double limit,
                      double scale, Value otherwise) -> Value {
      Value isBeyond =
          arith::CmpFOp::create(k.b, k.loc, predicate, size, number(limit));
      return arith::SelectOp::create(k.b, k.loc, isBeyond, number(scale),
                                     otherwise);
    };
    divisor.scale =
        choose(arith::CmpFPredicate::OLT, 0x1p-100, 0x1p+60,
               choose(arith::CmpFPredicate::OGT, 0x1p+100, 0x1p-60, number(1)));
    divisor.reciprocal = arith::DivFOp::create(
        k.b, k.loc, number(1),
        arith::MulFOp::create(k.b, k.loc, d, divisor.scale));
  }

  Value divide(Value dividend, const Divisor &divisor) {
    Value scaled =
        arith::MulFOp::create(k.b, k.loc, dividend, spread(divisor.scale));
    return arith::MulFOp::create(k.b, k.loc, scaled,
                                 spread(divisor.reciprocal));
  }

  //===--------------------------------------------------------------------===//
  // Passes
  //===--------------------------------------------------------------------===//

  void walk(int64_t pass) {
    SmallVector<size_t> reductions;
    SmallVector<ReductionOpInterface> ops;
    SmallVector<Value> initial;
    for (auto [i, node] : llvm::enumerate(rows.nodes)) {
      if (rows.isReduction(node) && node.pass == pass + 1) {
        reductions.push_back(i);
        ops.push_back(cast<ReductionOpInterface>(node.op));
        llvm::append_range(initial, ops.back().emitInit(k.b, stateShape()));
      }
    }
    SmallVector<Value> states =
        overColumns(initial, [&](Columns &columns, ValueRange carried) {
          SmallVector<Value> next = combine(reductions, columns, carried);
          storeColumns(pass, columns);
          return next;
        });
    finish(reductions, ops, states);
    computePerRow(pass + 1);
  }

  SmallVector<int64_t> stateShape() const {
    return schedule.vector == 1 ? SmallVector<int64_t>()
                                : SmallVector<int64_t>{schedule.vector};
  }

  /// The thread's columns, all at once where they are kept.
  SmallVector<Value> overColumns(
      ValueRange initial,
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
                       SmallVector<Columns> columns = columnsFrom(first);
                       return all(columns, carried);
                     });
  }

  SmallVector<Value> combine(ArrayRef<size_t> reductions, Columns &columns,
                             ValueRange states) {
    SmallVector<Value> next;
    for (size_t i : reductions) {
      auto op = cast<ReductionOpInterface>(rows.nodes[i].op);
      size_t count = op.emitInit(k.b, {}).size();
      ValueRange before = states.take_front(count);
      states = states.drop_front(count);
      SmallVector<Value> operands;
      for (size_t operand : rows.nodes[i].operands) {
        operands.push_back(valueOf(operand, columns));
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

  /// The index of each lane along every iterator that `op` reduces.
  SmallVector<Value> positions(ReductionOpInterface op, Columns &columns) {
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

  void finish(ArrayRef<size_t> reductions,
              MutableArrayRef<ReductionOpInterface> ops, ValueRange states) {
    if (reductions.empty()) {
      return;
    }
    SmallVector<SmallVector<Value>> merged;
    for (ReductionOpInterface op : ops) {
      size_t count = op.emitInit(k.b, {}).size();
      merged.push_back(merger->mergeLanes(op, states.take_front(count)));
      states = states.drop_front(count);
    }
    merged = merger->mergeThreads(ops, std::move(merged));
    for (auto [i, op, state] : llvm::zip_equal(reductions, ops, merged)) {
      SmallVector<Value> biases(op->getNumOperands());
      perRow[i] = op.emitFinish(k.b, state, biases)[0];
    }
  }

  //===--------------------------------------------------------------------===//
  // Results
  //===--------------------------------------------------------------------===//

  /// Runs `store` where `conditions` (null: always) hold.
  void guarded(ArrayRef<Value> conditions, llvm::function_ref<void()> store) {
    Value all;
    for (Value each : conditions) {
      if (each) {
        all = all ? arith::AndIOp::create(k.b, k.loc, all, each) : each;
      }
    }
    if (all) {
      k.ifThen(all, store);
    } else {
      store();
    }
  }

  /// The results that are known after `pass` passes, at `columns`.
  void storeColumns(int64_t pass, Columns &columns) {
    for (auto [i, result] : llvm::enumerate(rows.results)) {
      if (rows.isPerRow(result) || rows.nodes[result.node].pass != pass) {
        continue;
      }
      Value value = valueOf(result.node, columns);
      guarded({isRow, columns.isInside}, [&, number = i] {
        memory->store(number, value, columns.column, schedule.vector);
      });
    }
  }

  void storePerRow() {
    Value isFirst;
    if (schedule.threads > 1) {
      isFirst = arith::CmpIOp::create(k.b, k.loc, arith::CmpIPredicate::eq, own,
                                      k.i32(0));
    }
    for (auto [i, result] : llvm::enumerate(rows.results)) {
      if (rows.isPerRow(result)) {
        guarded({isRow, isFirst}, [&, number = i, node = result.node] {
          memory->store(number, perRow[node], k.i32(0), 1);
        });
      }
    }
  }

  CudaKernelBuilder &k;
  const RowFusion &rows;
  const RowSchedule &schedule;
  const bool isExact; // no vector of a thread is outside of its row
  Value own;          // this thread's number in its row
  Value isRow;        // null: always
  RowMemory *memory = nullptr;
  RowMerger *merger = nullptr;
  SmallVector<Columns> kept;
  SmallVector<Value> perRow;     // by node
  SmallVector<Divisor> divisors; // by node
};

} // namespace

void emitRows(ModuleOp device, Location loc, StringRef name,
              const RowFusion &rows, const RowSchedule &schedule,
              int64_t operands) {
  OpBuilder builder(device.getContext());
  KernelLaunchBounds bounds;
  bounds.threads = schedule.blockThreads();
  bounds.pointers = operands + int64_t(rows.results.size());
  KernelEntry entry = KernelEntry::create(builder, loc, device, name, bounds);
  CudaKernelBuilder k(builder, loc);
  Value shared;
  if (sharedBytes(rows, schedule) > 0) {
    shared = dynamicShared(builder, loc, device);
  }
  Emitter(k, rows, schedule).emit(entry, operands, shared);
}

} // namespace minic::cuda
