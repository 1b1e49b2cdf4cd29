// SPDX-License-Identifier: Apache-2.0
//
// A norm of each row of the lhs, by the code of the family rows: the block's
// threads take some rows at a time, and pass over them as one of its blocks
// does.

#include "compiler/target/cuda/gemm_skinny/SkinnyLhs.h"
#include "compiler/target/cuda/rows/RowWalk.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace minic::cuda {

namespace {

class NormLhs : public SkinnyLhs {
public:
  NormLhs(CudaKernelBuilder &k, const SkinnyGeometry &geometry,
          const LhsPrologue &prologue, ArrayRef<Value> operands,
          const llvm::SmallBitVector &constants, Value shared)
      : SkinnyLhs(k, geometry, shared), rows(*prologue.rows),
        schedule(geometry.rowSchedule(rows)),
        constants(unsigned(prologue.operands.size())) {
    SmallVector<Value> pointers;
    for (auto [i, operand] : llvm::enumerate(prologue.operands)) {
      pointers.push_back(operands[size_t(operand)]);
      this->constants[unsigned(i)] = constants[unsigned(operand)];
    }
    Value thread = k.threadIdX();
    own = k.rem(thread, schedule.threads);
    for (int64_t first = 0; first < g.gemm.m; first += schedule.rows) {
      steps.push_back(std::make_unique<Step>(
          *this, pointers, k.add(k.div(thread, schedule.threads), first),
          int64_t(steps.size())));
    }
  }

  void make() override {
    const RowFusion::Node &made = rows.nodes[rows.results[0].node];
    for (auto &step : steps) {
      step->walk.all([&](int64_t pass, Columns &columns) {
        if (pass != made.pass) {
          return;
        }
        Value value = step->values.valueOf(rows.results[0].node, columns);
        Value isInside = both(step->isRow, columns.isInside);
        auto storeIt = [&] { store(value, step->row, columns.column); };
        if (isInside) {
          k.ifThen(isInside, storeIt);
        } else {
          storeIt();
        }
      });
    }
  }

protected:
  void loadConstants() override {
    if (!g.schedule.programmatic) {
      return;
    }
    // Registers hold those of one row.
    Step &first = *steps[0];
    if (schedule.keeps && steps.size() == 1) {
      first.walk.keepConstants(constants);
      return;
    }
    for (size_t node : first.values.readBy(0, rows.passes())) {
      size_t number = rows.nodes[node].read;
      const RowFusion::Read &read = rows.reads[number];
      if (constants[read.argument] && rows.isPerColumn(read)) {
        int64_t line = 128 / kernel::getElementBytes(read.storage);
        k.forLoop(k.mul(own, line), k.i32(g.gemm.k), schedule.threads * line,
                  [&](Value column) { first.memory.prefetch(number, column); });
      }
    }
  }

private:
  /// The rows that the threads take at a time.
  struct Step {
    Step(NormLhs &lhs, ArrayRef<Value> pointers, Value first, int64_t number)
        : isRow(lhs.isRow(first, number)), row(lhs.clamped(first, isRow)),
          memory(lhs.k, lhs.rows, pointers, {}, row),
          values(lhs.k, lhs.rows, lhs.schedule, memory, lhs.own),
          merger(lhs.k, lhs.rows, lhs.schedule, lhs.mergeMemory(number)),
          walk(lhs.k, lhs.rows, lhs.schedule, values, merger) {}

    Value isRow; // null: always
    Value row;   // the last one instead of none
    RowMemory memory;
    RowValues values;
    RowMerger merger;
    RowWalk walk;
  };

  Value isRow(Value row, int64_t step) {
    return (step + 1) * schedule.rows <= g.gemm.m ? Value()
                                                  : k.lessThan(row, g.gemm.m);
  }
  Value clamped(Value row, Value isRow) {
    return isRow ? k.min(row, k.i32(g.gemm.m - 1)) : row;
  }
  /// Warps may still read what one step left when others begin the next.
  Value mergeMemory(int64_t step) {
    return k.advance(shared,
                     g.mergeOffset() + step * sharedBytes(rows, schedule),
                     k.b.getI8Type());
  }
  Value both(Value a, Value b) {
    return a && b ? arith::AndIOp::create(k.b, k.loc, a, b).getResult()
                  : (a ? a : b);
  }

  const RowFusion &rows;
  const RowSchedule schedule;
  llvm::SmallBitVector constants; // by operand of `rows`
  Value own;                      // this thread's number among those of its row
  SmallVector<std::unique_ptr<Step>> steps;
};

} // namespace

std::unique_ptr<SkinnyLhs>
createNormLhs(CudaKernelBuilder &k, const SkinnyGeometry &geometry,
              const LhsPrologue &prologue, ArrayRef<Value> operands,
              const llvm::SmallBitVector &constants, Value shared) {
  return std::make_unique<NormLhs>(k, geometry, prologue, operands, constants,
                                   shared);
}

} // namespace minic::cuda
