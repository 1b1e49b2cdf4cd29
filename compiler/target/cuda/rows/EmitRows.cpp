// SPDX-License-Identifier: Apache-2.0
//
// Rows of a block, and launches. Where each pass is a launch, the workspace
// brings what reductions gave.

#include "compiler/target/cuda/rows/EmitRows.h"

#include "compiler/target/cuda/LastBlock.h"
#include "compiler/target/cuda/rows/RowWalk.h"
#include "compiler/target/cuda/rows/RowWorkspace.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace minic::cuda {

namespace {

/// One kernel: its parameters, and which of the launches it is.
struct Launch {
  KernelEntry entry;
  const llvm::SmallBitVector &constants;
  int64_t number;
  Value shared;
  Value needed; // rows that the run has, i32; null: all

  int64_t operands() const { return int64_t(constants.size()); }
  SmallVector<Value> parameters(int64_t first, size_t count) {
    SmallVector<Value> values;
    for (size_t i = 0; i != count; ++i) {
      values.push_back(entry.parameter(first + int64_t(i)));
    }
    return values;
  }
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
          k.b, k.loc,
          k.lessThan(k.mul(block, schedule.blockRows()), launch.needed),
          /*withElseRegion=*/false);
      k.b.setInsertionPointToStart(ofRun.thenBlock());
    }
    Value row =
        k.add(k.mul(block, schedule.rows), k.div(thread, schedule.threads));
    row = k.mul(row, schedule.across);
    // Threads of rows that are none read the last one and store nothing.
    if (rows.rows() % schedule.blockRows() != 0) {
      isRow = k.lessThan(row, rows.rows());
      row = k.min(row, k.i32(rows.rows() - schedule.across));
    }
    RowMemory made(k, rows, launch.parameters(0, launch.operands()),
                   launch.parameters(launch.operands(), rows.results.size()),
                   row, schedule.across);
    memory = &made;
    RowValues known(k, rows, schedule, made, own);
    values = &known;
    RowMerger merging(k, rows, schedule, launch.shared);
    merger = &merging;
    RowWalk walking(k, rows, schedule, known, merging);
    walk = &walking;
    if (schedule.cluster) {
      merger->joinCluster();
    }
    if (schedule.programmatic && schedule.keeps && !schedule.usesWorkspace()) {
      walk->keepConstants(launch.constants);
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
    walk->all(
        [&](int64_t pass, Columns &columns) { storeColumns(pass, columns); });
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
    walk->keep(pass, pass + 1);
    if (pass > 0) {
      readWorkspace(reductionsUpTo(pass));
    }
    for (int64_t known = 0; known <= pass; ++known) {
      values->computePerRow(known);
    }
    SmallVector<size_t> ended = values->reductionsOf(pass);
    RowMerger::States states =
        walk->columns(pass, ended, [&](int64_t, Columns &columns) {
          storeColumns(pass, columns);
        });
    guarded({isRow, isZero(inBlock, schedule.threads)},
            [&] { workspace->store(ended, states); });
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
  RowWalk *walk = nullptr;
  RowWorkspace *workspace = nullptr; // null: not used
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
