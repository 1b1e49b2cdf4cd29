// SPDX-License-Identifier: Apache-2.0
//
// Pass by pass: what the reductions of a pass need is computed for each column
// that the thread has, then their states are merged. Where a thread keeps its
// columns, values computed in one pass are there in the next. Where each pass
// is a launch, the workspace brings what reductions gave.

#include "compiler/target/cuda/rows/EmitRows.h"

#include "compiler/target/cuda/LastBlock.h"
#include "compiler/target/cuda/rows/RowValues.h"
#include "compiler/target/cuda/rows/RowWorkspace.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace minic::cuda {

using graph::ReductionOpInterface;

namespace {

/// One kernel: its parameters, and which of the launches it is.
struct Launch {
  KernelEntry entry;
  const llvm::SmallBitVector &constants;
  int64_t number;
  Value shared;
  Value needed; // rows that the run has, i32; null: all

  int64_t operands() const { return int64_t(constants.size()); }
};

class Emitter {
public:
  Emitter(CudaKernelBuilder &k, const RowFusion &rows,
          const RowSchedule &schedule)
      : k(k), rows(rows), schedule(schedule) {}

  void emit(Launch launch) {
    k.allowLaterLaunches(schedule.programmatic);
    Value block = k.blockIdX(), thread = k.threadIdX();
    inBlock = own = k.rem(thread, schedule.threads);
    if (schedule.split > 1) {
      Value part = k.rem(block, schedule.split);
      block = k.div(block, schedule.split);
      own = k.add(k.mul(part, schedule.threads), own);
    }
    if (launch.needed) {
      // Blocks that share rows, as a cluster or by counters, all end.
      auto ofRun = scf::IfOp::create(
          k.b, k.loc, k.lessThan(k.mul(block, schedule.rows), launch.needed),
          /*withElseRegion=*/false);
      k.b.setInsertionPointToStart(ofRun.thenBlock());
    }
    Value row =
        k.add(k.mul(block, schedule.rows), k.div(thread, schedule.threads));
    // Threads of rows that are none read the last one and store nothing.
    if (rows.rows() % schedule.rows != 0) {
      isRow = k.lessThan(row, rows.rows());
      row = k.min(row, k.i32(rows.rows() - 1));
    }
    RowMemory made(k, rows, launch.entry, launch.operands(), row);
    memory = &made;
    RowValues known(k, rows, schedule, made, own);
    values = &known;
    RowMerger merging(k, rows, schedule, launch.shared);
    merger = &merging;
    if (schedule.cluster) {
      merger->joinCluster();
    }
    if (schedule.programmatic && schedule.keeps && !schedule.usesWorkspace()) {
      keepConstants(launch.constants);
    }
    k.waitForEarlierLaunches(schedule.programmatic);
    if (schedule.usesWorkspace()) {
      int64_t next = launch.operands() + int64_t(rows.results.size());
      RowWorkspace parts(k, rows, schedule, merging,
                         launch.entry.parameter(next), row);
      workspace = &parts;
      emitLaunch(launch, block);
      return;
    }
    keep(0, rows.passes());
    values->computePerRow(0);
    for (int64_t pass = 0; pass != rows.passes(); ++pass) {
      walk(pass);
    }
    storePerRow(own);
  }

private:
  //===--------------------------------------------------------------------===//
  // Launches
  //===--------------------------------------------------------------------===//

  /// Pass number `launch.number` alone. `block` is the number of its rows'
  /// blocks.
  void emitLaunch(Launch &launch, Value block) {
    int64_t pass = launch.number;
    keep(pass, pass + 1);
    if (pass > 0) {
      readWorkspace(reductionsUpTo(pass));
    }
    for (int64_t known = 0; known <= pass; ++known) {
      values->computePerRow(known);
    }
    SmallVector<size_t> ended = values->reductionsOf(pass);
    RowMerger::States states = walkColumns(pass, ended);
    guarded({isRow, isZero(inBlock, schedule.threads)}, [&] {
      for (auto [node, state] : llvm::zip_equal(ended, states)) {
        workspace->store(node, state);
      }
    });
    if (pass + 1 != rows.passes()) {
      return;
    }
    if (ended.empty()) {
      storePerRow(own);
      return;
    }
    int64_t counters = launch.operands() + int64_t(rows.results.size()) + 1;
    Value counter =
        k.advance(launch.entry.parameter(counters), block, k.b.getI32Type());
    Value isLast = emitIsLastBlock(k, counter, schedule.split, merger->flag());
    k.ifThen(isLast, [&] {
      readWorkspace(ended);
      values->computePerRow(pass + 1);
      storePerRow(inBlock);
    });
  }

  SmallVector<size_t> reductionsUpTo(int64_t pass) const {
    SmallVector<size_t> found;
    for (int64_t each = 0; each != pass; ++each) {
      found.append(values->reductionsOf(each));
    }
    return found;
  }

  void readWorkspace(ArrayRef<size_t> reductions) {
    values->setReduced(reductions, workspace->merge(reductions));
  }

  void keep(int64_t from, int64_t to) {
    if (schedule.keeps) {
      if (kept.empty()) {
        kept = values->columnsFrom(k.i32(0));
      }
      SmallVector<size_t> nodes = values->readBy(from, to);
      llvm::erase_if(nodes, [&](size_t node) {
        return llvm::is_contained(keptAhead, node);
      });
      values->load(kept, nodes);
    }
  }

  /// Ahead of the wait for earlier launches, which none of these needs: scales
  /// and biases of a model come from memory, not from a cache.
  void keepConstants(const llvm::SmallBitVector &constants) {
    keptAhead = values->readBy(0, rows.passes());
    llvm::erase_if(keptAhead, [&](size_t node) {
      return !constants[rows.reads[rows.nodes[node].read].argument];
    });
    kept = values->columnsFrom(k.i32(0));
    values->load(kept, keptAhead);
  }

  //===--------------------------------------------------------------------===//
  // Passes
  //===--------------------------------------------------------------------===//

  void walk(int64_t pass) {
    SmallVector<size_t> ended = values->reductionsOf(pass);
    RowMerger::States states = walkColumns(pass, ended);
    if (schedule.cluster && !ended.empty()) {
      states = merger->mergeCluster(opsOf(ended), std::move(states));
    }
    values->setReduced(ended, states);
    values->computePerRow(pass + 1);
  }

  /// The states of `reductions`, which end with `pass`, of what the block has
  /// of its rows.
  RowMerger::States walkColumns(int64_t pass, ArrayRef<size_t> reductions) {
    SmallVector<Value> initial;
    for (size_t node : reductions) {
      llvm::append_range(initial,
                         values->reduction(node).emitInit(k.b, stateShape()));
    }
    SmallVector<Value> all =
        overColumns(pass, initial, [&](Columns &columns, ValueRange carried) {
          SmallVector<Value> next = combine(reductions, columns, carried);
          storeColumns(pass, columns);
          return next;
        });
    if (reductions.empty()) {
      return {};
    }
    RowMerger::States states;
    ValueRange rest = all;
    for (size_t node : reductions) {
      size_t count = values->reduction(node).emitInit(k.b, {}).size();
      states.push_back(
          merger->mergeLanes(values->reduction(node), rest.take_front(count)));
      rest = rest.drop_front(count);
    }
    return merger->mergeThreads(opsOf(reductions), std::move(states));
  }

  SmallVector<ReductionOpInterface> opsOf(ArrayRef<size_t> reductions) const {
    return llvm::map_to_vector(
        reductions, [&](size_t node) { return values->reduction(node); });
  }

  SmallVector<int64_t> stateShape() const {
    return schedule.vector == 1 ? SmallVector<int64_t>()
                                : SmallVector<int64_t>{schedule.vector};
  }

  /// The thread's columns, all at once where they are kept.
  SmallVector<Value> overColumns(
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
                       SmallVector<Columns> columns =
                           values->columnsFrom(first);
                       values->load(columns, values->loadedAhead(pass));
                       return all(columns, carried);
                     });
  }

  SmallVector<Value> combine(ArrayRef<size_t> reductions, Columns &columns,
                             ValueRange states) {
    SmallVector<Value> next;
    for (size_t i : reductions) {
      ReductionOpInterface op = values->reduction(i);
      size_t count = op.emitInit(k.b, {}).size();
      ValueRange before = states.take_front(count);
      states = states.drop_front(count);
      SmallVector<Value> operands;
      for (size_t operand : rows.nodes[i].operands) {
        operands.push_back(values->valueOf(operand, columns));
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
      Value value = values->valueOf(result.node, columns);
      guarded({isRow, columns.isInside}, [&, number = i] {
        memory->store(number, value, columns.column, schedule.vector);
      });
    }
  }

  /// By the thread of each row whose `number` among threads of it is 0.
  void storePerRow(Value number) {
    Value isFirst = isZero(number, schedule.rowThreads());
    for (auto [i, result] : llvm::enumerate(rows.results)) {
      if (rows.isPerRow(result)) {
        guarded({isRow, isFirst}, [&, number = i, node = result.node] {
          memory->store(number, values->ofRow(node), k.i32(0), 1);
        });
      }
    }
  }

  /// Null where `number` is always, as it is below `end`.
  Value isZero(Value number, int64_t end) {
    return end == 1
               ? Value()
               : arith::CmpIOp::create(k.b, k.loc, arith::CmpIPredicate::eq,
                                       number, k.i32(0));
  }

  CudaKernelBuilder &k;
  const RowFusion &rows;
  const RowSchedule &schedule;
  // This thread's number among those of its row: of the block, of all blocks.
  Value inBlock, own;
  Value isRow; // null: always
  RowMemory *memory = nullptr;
  RowValues *values = nullptr;
  RowMerger *merger = nullptr;
  RowWorkspace *workspace = nullptr; // null: not used
  SmallVector<Columns> kept;
  /// The nodes of `kept` that are loaded already.
  SmallVector<size_t> keptAhead;
};

} // namespace

void emitRows(ModuleOp device, Location loc, ArrayAttr names,
              const RowFusion &rows, const RowSchedule &schedule,
              const llvm::SmallBitVector &constants,
              const std::optional<RunBound> &bound) {
  OpBuilder builder(device.getContext());
  KernelLaunchBounds bounds;
  bounds.threads = schedule.blockThreads();
  bounds.clusterX = schedule.cluster ? schedule.split : 0;
  bounds.pointers = int64_t(constants.size()) + int64_t(rows.results.size()) +
                    (workspaceBytes(rows, schedule) > 0) +
                    (counterBytes(rows, schedule) > 0) + (bound ? 1 : 0);
  for (auto [number, name] : llvm::enumerate(names.getAsRange<StringAttr>())) {
    KernelEntry entry =
        KernelEntry::create(builder, loc, device, name.getValue(), bounds);
    CudaKernelBuilder k(builder, loc);
    Value shared;
    if (sharedBytes(rows, schedule) > 0) {
      shared = dynamicShared(builder, loc, device);
    }
    Value needed =
        bound ? bound->emitCount(k, entry.parameter(bounds.pointers - 1),
                                 rows.rows())
              : Value();
    Emitter(k, rows, schedule)
        .emit({entry, constants, int64_t(number), shared, needed});
  }
}

} // namespace minic::cuda
