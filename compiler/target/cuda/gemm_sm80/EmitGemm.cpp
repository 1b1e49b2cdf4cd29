// SPDX-License-Identifier: Apache-2.0
//
// A ring of stages: copies of stage i + stages - 1 are under way while stage i
// is multiplied. One barrier per stage says both that its copies have landed
// and that all warps have left the stage whose memory the next copies take.
// Where registers suffice a stage's first step is loaded, and so that barrier
// passed, before the last step of the stage ahead is multiplied. An operand
// with a prologue is made from what was copied just ahead of that barrier.

#include "compiler/target/cuda/gemm_sm80/EmitGemm.h"

#include "compiler/target/cuda/gemm/TileEpilogue.h"
#include "compiler/target/cuda/gemm_sm80/Multiply.h"
#include "compiler/target/cuda/gemm_sm80/PrologueStage.h"
#include "compiler/target/cuda/gemm_sm80/SharedTile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;

namespace minic::cuda {

namespace {

class GemmEmitter {
public:
  GemmEmitter(OpBuilder &builder, Location loc, ModuleOp device,
              KernelEntry entry, const kernel::FusionShape &shape,
              const GemmSm80Geometry &g, int64_t operands, bool rhsIsConstant)
      : k_(builder, loc), entry_(entry), shape_(shape), g_(g),
        operands_(operands), rhsIsConstant_(rhsIsConstant),
        shared_(dynamicShared(builder, loc, device)) {}

  void emit() {
    thread_ = k_.threadIdX();
    index_ = g_.raster.locate(k_, k_.blockIdX());
    // Stages [begin_, end_) of K are this block's.
    begin_ = k_.mul(index_.split, g_.kBlocksPerSplit);
    end_ = g_.kBlocks % g_.schedule.splitK == 0
               ? k_.add(begin_, g_.kBlocksPerSplit)
               : k_.min(k_.add(begin_, g_.kBlocksPerSplit), k_.i32(g_.kBlocks));
    auto multiply = Multiply::create(k_, g_, k_.warpId(), k_.laneId());
    SmallVector<Value> sums = mainLoop(*multiply);
    // The memory of the stages becomes the tile of sums.
    NVVM::CpAsyncWaitGroupOp::create(k_.b, k_.loc, 0);
    k_.barrier();
    multiply->store(sums, shared_);
    k_.barrier();
    finish();
  }

private:
  /// A matrix of the operand for this block's batch.
  Value matrix(const GemmOperand &operand) {
    Value base = entry_.parameter(operand.argument);
    Value batch = index_.batch;
    Value offset = k_.i64(0);
    for (size_t d = operand.batchStrides.size(); d-- > 0;) {
      Value at = k_.rem(batch, g_.gemm.batch[d]);
      batch = k_.div(batch, g_.gemm.batch[d]);
      Value wide = arith::ExtUIOp::create(k_.b, k_.loc, k_.b.getI64Type(), at);
      offset = k_.add(offset, k_.mul(wide, operand.batchStrides[d]));
    }
    return k_.advance(base, offset, operand.type);
  }

  /// Copies of one matrix, and where they go in a stage.
  struct Copy {
    TileCopy tile;
    int64_t rowBytes, offset;
    bool isOfRhs;
  };

  void addCopies(bool isRhs) {
    const auto &prologue = isRhs ? g_.rhsPrologue : g_.lhsPrologue;
    int64_t rows = isRhs ? g_.schedule.bn : g_.schedule.bm;
    Value firstRow = k_.mul(isRhs ? index_.tileN : index_.tileM, rows);
    auto add = [&](const GemmOperand &operand, int64_t rowBytes,
                   int64_t offset) {
      copies_.push_back(
          {TileCopy(k_, operand, rows, rowBytes, g_.schedule.threads(), thread_,
                    matrix(operand), firstRow, k_.mul(begin_, g_.schedule.bk)),
           rowBytes, offset, isRhs});
    };
    if (!prologue) {
      return add(isRhs ? g_.rhs : g_.lhs, g_.rowBytes,
                 isRhs ? g_.lhsTileBytes() : 0);
    }
    for (const StagedMatrix &staged : prologue->staged) {
      add(staged.operand, staged.rowBytes, staged.offset);
    }
  }

  /// Earlier launches must be complete.
  void addPrologue(bool isRhs) {
    const auto &prologue = isRhs ? g_.rhsPrologue : g_.lhsPrologue;
    if (!prologue) {
      return;
    }
    PrologueTile tile;
    tile.rows = isRhs ? g_.schedule.bn : g_.schedule.bm;
    tile.rowBytes = g_.rowBytes, tile.bk = g_.schedule.bk;
    tile.threads = g_.schedule.threads();
    tile.offset = isRhs ? g_.lhsTileBytes() : 0;
    tile.thread = thread_;
    tile.firstRow = k_.mul(isRhs ? index_.tileN : index_.tileM, tile.rows);
    tile.batch = index_.batch, tile.batchExtents = g_.gemm.batch;
    SmallVector<Value> parameters;
    for (int64_t i = 0; i != operands_; ++i) {
      parameters.push_back(entry_.parameter(i));
    }
    prologues_.emplace_back(k_, *prologue, isRhs ? g_.rhs : g_.lhs, tile,
                            parameters);
  }

  Value rhsTile(Value stage) {
    return k_.advance(stage, g_.lhsTileBytes(), k_.b.getI8Type());
  }

  /// Elements of K from stage number `block` to K's end.
  Value kLeft(Value block) {
    return k_.sub(k_.i32(g_.gemm.k), k_.mul(block, g_.schedule.bk));
  }

  SmallVector<Value> mainLoop(Multiply &multiply) {
    OpBuilder &b = k_.b;
    Type i8 = b.getI8Type();
    int64_t stages = g_.schedule.stages, stageBytes = g_.stageBytes();
    addCopies(/*isRhs=*/false);
    addCopies(/*isRhs=*/true);
    auto commit = [&] { NVVM::CpAsyncCommitGroupOp::create(b, k_.loc); };

    // The weights' first stages, which no earlier launch writes, before the
    // activations'.
    bool early = g_.schedule.programmatic && rhsIsConstant_ && !g_.rhsPrologue;
    auto ahead = [&](int64_t stage, bool copyLhs, bool copyRhs) {
      Value block = k_.add(begin_, stage);
      Value memory = k_.advance(shared_, stage * stageBytes, i8);
      auto issue = [&] {
        for (Copy &copy : copies_) {
          if (copy.isOfRhs ? copyRhs : copyLhs) {
            Value source =
                k_.advance(copy.tile.source(), stage * copy.rowBytes, i8);
            copy.tile.issue(source, k_.advance(memory, copy.offset, i8),
                            kLeft(block));
          }
        }
      };
      // All splits but the last have kBlocksPerSplit stages.
      bool always =
          g_.kBlocksPerSplit > stage && g_.kBlocks % g_.schedule.splitK == 0;
      always ? issue() : k_.ifThen(k_.lessThan(block, end_), issue);
    };
    if (early) {
      for (int64_t stage = 0; stage != stages - 1; ++stage) {
        ahead(stage, /*copyLhs=*/false, /*copyRhs=*/true);
      }
    }
    k_.waitForEarlierLaunches(g_.schedule.programmatic);
    for (int64_t stage = 0; stage != stages - 1; ++stage) {
      ahead(stage, /*copyLhs=*/true, /*copyRhs=*/!early);
      commit();
    }
    k_.allowLaterLaunches(g_.schedule.programmatic);
    addPrologue(/*isRhs=*/false);
    addPrologue(/*isRhs=*/true);
    return loop(multiply);
  }

  /// `position` of the ring, one stage on.
  Value advanceRing(Value position) {
    int64_t bytes = g_.stageBytes();
    Value next = k_.add(position, bytes);
    Value wraps =
        arith::CmpIOp::create(k_.b, k_.loc, arith::CmpIPredicate::eq, next,
                              k_.i32(g_.schedule.stages * bytes));
    return arith::SelectOp::create(k_.b, k_.loc, wraps, k_.i32(0), next);
  }

  /// What the loop over stages carries besides the sums.
  struct Carried {
    SmallVector<Value> sources; // where copies read next
    Value read, write;          // positions in the ring
    SmallVector<Value> loaded;  // a step's elements, where loads are ahead

    SmallVector<Value> flat(ArrayRef<Value> sums) const {
      SmallVector<Value> values(sums);
      values.append(sources);
      values.append({read, write});
      values.append(loaded);
      return values;
    }
    static Carried from(ValueRange values, size_t sums, size_t sources) {
      values = values.drop_front(sums);
      return {llvm::to_vector(values.take_front(sources)), values[sources],
              values[sources + 1],
              llvm::to_vector(values.drop_front(sources + 2))};
    }
  };

  SmallVector<Value> loadStep(Multiply &multiply, Value position,
                              int64_t step) {
    Value memory = k_.advance(shared_, position, k_.b.getI8Type());
    return multiply.load(memory, rhsTile(memory), step);
  }

  /// Until stage number `block`, at `position` of the ring, is complete.
  void waitForStage(Value position, Value block) {
    NVVM::CpAsyncWaitGroupOp::create(k_.b, k_.loc,
                                     int32_t(g_.schedule.stages - 2));
    if (!prologues_.empty()) {
      k_.ifThen(k_.lessThan(block, end_), [&] {
        Value memory = k_.advance(shared_, position, k_.b.getI8Type());
        for (PrologueStage &prologue : prologues_) {
          prologue.emit(memory, k_.mul(block, g_.schedule.bk));
        }
      });
    }
    k_.barrier();
  }

  SmallVector<Value> loop(Multiply &multiply) {
    OpBuilder &b = k_.b;
    Type i8 = b.getI8Type();
    int64_t ahead = g_.schedule.stages - 1;
    Value zero = arith::ConstantOp::create(b, k_.loc, b.getF32FloatAttr(0));
    SmallVector<Value> sums(size_t(multiply.sums()), zero);
    size_t count = sums.size();
    Carried first;
    for (Copy &copy : copies_) {
      first.sources.push_back(
          k_.advance(copy.tile.source(), ahead * copy.rowBytes, i8));
    }
    first.read = k_.i32(0);
    first.write = k_.i32(ahead * g_.stageBytes());
    if (multiply.loadsAhead()) {
      waitForStage(first.read, begin_);
      first.loaded = loadStep(multiply, first.read, 0);
    }
    auto body = [&](Value block, ValueRange values) -> SmallVector<Value> {
      Carried now = Carried::from(values, count, copies_.size());
      SmallVector<Value> sums = llvm::to_vector(values.take_front(count));
      if (!multiply.loadsAhead()) {
        waitForStage(now.read, block);
      }
      Value later = k_.add(block, ahead);
      k_.ifThen(k_.lessThan(later, end_), [&] {
        Value memory = k_.advance(shared_, now.write, i8);
        for (auto [copy, source] : llvm::zip_equal(copies_, now.sources)) {
          copy.tile.issue(source, k_.advance(memory, copy.offset, i8),
                          kLeft(later));
        }
      });
      NVVM::CpAsyncCommitGroupOp::create(b, k_.loc);
      Value nextRead = advanceRing(now.read);
      int64_t steps = multiply.steps();
      for (int64_t step = 0; step != steps; ++step) {
        if (!multiply.loadsAhead()) {
          multiply.multiply(loadStep(multiply, now.read, step), sums);
          continue;
        }
        // After K's last stage what is loaded ahead is never used.
        bool isLast = step + 1 == steps;
        if (isLast) {
          waitForStage(nextRead, k_.add(block, 1));
        }
        SmallVector<Value> loaded = std::move(now.loaded);
        now.loaded = loadStep(multiply, isLast ? nextRead : now.read,
                              isLast ? 0 : step + 1);
        multiply.multiply(loaded, sums);
      }
      for (auto [copy, source] : llvm::zip_equal(copies_, now.sources)) {
        source = k_.advance(source, copy.rowBytes, i8);
      }
      now.read = nextRead;
      now.write = advanceRing(now.write);
      return now.flat(sums);
    };
    SmallVector<Value> results =
        k_.forLoop(begin_, end_, 1, first.flat(sums), body);
    results.resize(count);
    return results;
  }

  void finish() {
    const GemmSm80Schedule &s = g_.schedule;
    TileOfSums tile{s.bm, s.bn, g_.sumPitch, s.warpsK, g_.lanes, s.threads()};
    SmallVector<Value> inputs, results;
    for (int64_t i = 0; i != operands_; ++i) {
      inputs.push_back(entry_.parameter(i));
    }
    for (size_t i = 0; i != shape_.results.size(); ++i) {
      results.push_back(entry_.parameter(operands_ + int64_t(i)));
    }
    EpilogueEmitter epilogue(k_, shape_, inputs, results);
    TileEpilogue store(k_, tile, g_.gemm, thread_, index_);
    if (s.splitK == 1) {
      store.finish(shared_, epilogue);
      return;
    }
    int64_t next = operands_ + int64_t(shape_.results.size());
    store.finishSplit(shared_, epilogue, g_.raster, entry_.parameter(next),
                      entry_.parameter(next + 1));
  }

  CudaKernelBuilder k_;
  KernelEntry entry_;
  const kernel::FusionShape &shape_;
  const GemmSm80Geometry &g_;
  int64_t operands_;
  bool rhsIsConstant_;
  Value shared_, thread_, begin_, end_;
  TileIndex index_;
  SmallVector<Copy> copies_;
  SmallVector<PrologueStage> prologues_;
};

} // namespace

void emitGemm(Location loc, ModuleOp device, StringRef name,
              const kernel::FusionShape &shape, const GemmSm80Geometry &g,
              int64_t operands, bool rhsIsConstant) {
  OpBuilder builder(device.getContext());
  KernelLaunchBounds bounds;
  bounds.threads = g.schedule.threads();
  bounds.minBlocksPerSm = g.minBlocksPerSm();
  bounds.pointers = operands + int64_t(shape.results.size()) +
                    (g.schedule.splitK > 1 ? 2 : 0);
  KernelEntry entry = KernelEntry::create(builder, loc, device, name, bounds);
  GemmEmitter(builder, loc, device, entry, shape, g, operands, rhsIsConstant)
      .emit();
}

} // namespace minic::cuda
