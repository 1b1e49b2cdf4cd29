// SPDX-License-Identifier: Apache-2.0
//
// A ring of stages: copies of stage i + stages - 1 are under way while stage i
// is multiplied. One barrier per stage says both that its copies have landed
// and that all warps have left the stage whose memory the next copies take.
// Where registers suffice a stage's first step is loaded, and so that barrier
// passed, before the last step of the stage ahead is multiplied. An operand
// with a prologue is made from what was copied just ahead of that barrier.

#include "compiler/target/cuda/gemm_sm80/EmitGemm.h"

#include "compiler/target/cuda/gemm/GemmLowering.h"
#include "compiler/target/cuda/gemm/StagePrologues.h"
#include "compiler/target/cuda/gemm_sm80/Multiply.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;

namespace minic::cuda {

namespace {

class GemmEmitter {
public:
  GemmEmitter(CudaKernelBuilder &k, KernelEntry entry, const GemmEntry &gemm,
              const GemmSm80Geometry &g, Value shared)
      : k_(k), entry_(entry), gemm_(gemm), g_(g), shared_(shared),
        thread_(k.threadIdX()), index_(g.raster.locate(k, k.blockIdX())),
        ring_{g,
              g.schedule,
              g.stageBytes(),
              g.schedule.threads(),
              /*ahead=*/g.schedule.stages - 1,
              shared,
              thread_,
              index_},
        copies_(k, entry, ring_), prologues_(k, entry, gemm, ring_) {}

  void emit() {
    auto multiply = Multiply::create(k_, g_, k_.warpId(), k_.laneId());
    prologues_.addCopies(copies_);
    if (g_.schedule.programmatic) {
      gemm_.prefetchBias(k_, entry_, index_, g_.schedule.bn, thread_);
    }
    copies_.issueFirst(gemm_.isConstant(g_.rhs.value));
    prologues_.begin();
    SmallVector<Value> sums = loop(*multiply);
    const GemmSm80Schedule &s = g_.schedule;
    TileOfSums tile{s.bm, s.bn, g_.sumPitch, s.warpsK, g_.lanes, s.threads()};
    TileEpilogue epilogue =
        gemm_.tileEpilogue(k_, entry_, tile, g_.raster, index_, thread_);
    epilogue.prefetch(g_.freeRegisters());
    // The memory of the stages becomes the tile of sums.
    NVVM::CpAsyncWaitGroupOp::create(k_.b, k_.loc, 0);
    k_.barrier();
    multiply->store(sums, shared_);
    k_.barrier();
    gemm_.finish(entry_, epilogue, g_.raster, shared_);
  }

private:
  Value rhsTile(Value stage) {
    return k_.advance(stage, g_.lhsTileBytes, k_.b.getI8Type());
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
      k_.ifThen(k_.lessThan(block, copies_.end()),
                [&] { prologues_.emit(position, block); });
    }
    k_.barrier();
  }

  SmallVector<Value> loop(Multiply &multiply) {
    OpBuilder &b = k_.b;
    int64_t ahead = g_.schedule.stages - 1;
    Value zero = arith::ConstantOp::create(b, k_.loc, b.getF32FloatAttr(0));
    SmallVector<Value> sums(size_t(multiply.sums()), zero);
    size_t count = sums.size();
    Carried first;
    first.sources = copies_.sources();
    size_t sources = first.sources.size();
    first.read = k_.i32(0);
    first.write = k_.i32(ahead * g_.stageBytes());
    if (multiply.loadsAhead()) {
      waitForStage(first.read, copies_.begin());
      first.loaded = loadStep(multiply, first.read, 0);
    }
    auto body = [&](Value block, ValueRange values) -> SmallVector<Value> {
      Carried now = Carried::from(values, count, sources);
      SmallVector<Value> sums = llvm::to_vector(values.take_front(count));
      if (!multiply.loadsAhead()) {
        waitForStage(now.read, block);
      }
      copies_.issue(k_.add(block, ahead), now.write, now.sources);
      Value nextRead = copies_.advance(now.read);
      int64_t steps = multiply.steps();
      for (int64_t step = 0; step != steps; ++step) {
        if (!multiply.loadsAhead()) {
          multiply.multiply(loadStep(multiply, now.read, step), sums);
          continue;
        }
        // After K's last stage what is loaded ahead is never used.
        bool isLast = step + 1 == steps;
        if (isLast) {
          copies_.completeIssue();
          waitForStage(nextRead, k_.add(block, 1));
        }
        SmallVector<Value> loaded = std::move(now.loaded);
        now.loaded = loadStep(multiply, isLast ? nextRead : now.read,
                              isLast ? 0 : step + 1);
        multiply.multiply(loaded, sums);
      }
      if (!multiply.loadsAhead()) {
        copies_.completeIssue();
      }
      copies_.advanceSources(now.sources);
      now.read = nextRead;
      now.write = copies_.advance(now.write);
      return now.flat(sums);
    };
    SmallVector<Value> results =
        k_.forLoop(copies_.begin(), copies_.end(), 1, first.flat(sums), body);
    results.resize(count);
    return results;
  }

  CudaKernelBuilder &k_;
  KernelEntry entry_;
  const GemmEntry &gemm_;
  const GemmSm80Geometry &g_;
  Value shared_, thread_;
  TileIndex index_;
  StageRing ring_;
  StageCopies copies_;
  StagePrologues prologues_;
};

} // namespace

void emitGemm(Location loc, ModuleOp device, StringRef name,
              const kernel::FusionShape &shape, const GemmSm80Geometry &g,
              const llvm::SmallBitVector &constants,
              const std::optional<RunBound> &bound) {
  OpBuilder builder(device.getContext());
  GemmEntry gemm{shape, constants, bound};
  KernelLaunchBounds bounds;
  bounds.threads = g.schedule.threads();
  bounds.minBlocksPerSm = g.minBlocksPerSm();
  KernelEntry entry = gemm.create(builder, loc, device, name, g.raster, bounds);
  CudaKernelBuilder k(builder, loc);
  gemm.keepBlocksOfRun(k, entry, g.raster, g.schedule.bm);
  GemmEmitter(k, entry, gemm, g, dynamicShared(builder, loc, device)).emit();
}

} // namespace minic::cuda
