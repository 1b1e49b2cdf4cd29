// SPDX-License-Identifier: Apache-2.0
//
// With copies by cp.async, a ring of stages: while tensor cores multiply stage
// i, and perhaps still the one before, copies of stage i + stages - 2 are under
// way. One barrier per stage says that its copies have landed and that every
// warp group has left stage i - 2, whose memory the next copies take: each
// waited for its products before. So tensor cores have work while warps pass a
// barrier. Copies by TMA have kernels of their own: EmitTmaGemm,
// EmitPingPongGemm.

#include "compiler/target/cuda/gemm_sm90/EmitGemm.h"

#include "compiler/target/cuda/Wgmma.h"
#include "compiler/target/cuda/gemm/GemmLowering.h"
#include "compiler/target/cuda/gemm/StagePrologues.h"
#include "compiler/target/cuda/gemm_sm90/ClusterSums.h"
#include "compiler/target/cuda/gemm_sm90/EmitPingPongGemm.h"
#include "compiler/target/cuda/gemm_sm90/EmitTmaGemm.h"
#include "compiler/target/cuda/gemm_sm90/RegisterEpilogue.h"
#include "compiler/target/cuda/gemm_sm90/WarpGroupMultiply.h"

using namespace mlir;

namespace minic::cuda {

namespace {

class GemmEmitter {
public:
  GemmEmitter(CudaKernelBuilder &k, KernelEntry entry, const GemmEntry &gemm,
              const GemmSm90Geometry &g, Value shared)
      : k_(k), entry_(entry), gemm_(gemm), g_(g), shared_(shared),
        thread_(k.threadIdX()), index_(g.raster.locate(k, k.blockIdX())),
        ring_{g,
              g.schedule,
              g.stageBytes(),
              g.schedule.threads(),
              g.stagesAhead(),
              shared,
              thread_,
              index_},
        copies_(k, entry, ring_), prologues_(k, entry, gemm, ring_),
        multiply_(k, g, shared, thread_) {}

  void emit() {
    prologues_.addCopies(copies_);
    if (g_.schedule.programmatic) {
      gemm_.prefetchBias(k_, entry_, index_, g_.schedule.bn, thread_);
    }
    copies_.issueFirst(gemm_.isConstant(g_.rhs.value));
    prologues_.begin();
    SmallVector<Value> sums = loop();
    if (g_.finishesInRegisters) {
      finishInRegisters(sums);
      return;
    }
    const GemmSm90Schedule &s = g_.schedule;
    TileOfSums tile{s.bm,          s.bn,     g_.sumPitch(),
                    s.warpGroupsK, g_.lanes, s.threads()};
    TileEpilogue epilogue =
        gemm_.tileEpilogue(k_, entry_, tile, g_.raster, index_, thread_);
    // While tensor cores are busy with the last stage.
    epilogue.prefetch(g_.freeRegisters());
    multiply_.finish(sums);
    // The memory of the stages becomes the tile of sums.
    NVVM::CpAsyncWaitGroupOp::create(k_.b, k_.loc, 0);
    k_.barrier();
    multiply_.store(sums, shared_);
    k_.barrier();
    gemm_.finish(entry_, epilogue, g_.raster, shared_);
  }

private:
  void finishInRegisters(SmallVector<Value> &sums) {
    ClusterSums cluster(k_, g_, shared_, thread_, index_);
    WarpPlace place = multiply_.place();
    RegisterEpilogue epilogue(k_, g_, gemm_.shape, gemm_.epilogue(k_, entry_),
                              index_, warpMemory(k_, g_, shared_),
                              g_.addsInCluster() ? cluster.placeOfBlock(place)
                                                 : place);
    epilogue.prefetch();
    multiply_.finish(sums);
    // Memory of stages becomes the cluster's, or the warps'.
    NVVM::CpAsyncWaitGroupOp::create(k_.b, k_.loc, 0);
    g_.addsInCluster() ? cluster.add(sums) : k_.barrier();
    epilogue.finish(sums);
  }

  /// Until stage number `block`, at `position` of the ring, is complete and
  /// tensor cores see it.
  void waitForStage(Value position, Value block) {
    NVVM::CpAsyncWaitGroupOp::create(k_.b, k_.loc,
                                     int32_t(g_.stagesAhead() - 1));
    if (!prologues_.empty()) {
      prologues_.emit(position, block);
    }
    fenceProxy(k_);
    k_.barrier();
  }

  SmallVector<Value> loop() {
    // What the loop carries: sums, where copies read, where the ring is read
    // and written.
    SmallVector<Value> first = multiply_.zeros();
    size_t sums = first.size();
    first.append(copies_.sources());
    size_t sources = first.size();
    first.push_back(k_.i32(0));
    first.push_back(k_.i32(g_.stagesAhead() * g_.stageBytes()));
    auto body = [&](Value block, ValueRange values) {
      SmallVector<Value> now(values);
      MutableArrayRef<Value> all(now);
      auto from = all.slice(sums, sources - sums);
      Value &read = all[sources], &write = all[sources + 1];
      waitForStage(read, block);
      multiply_.multiply(read, block, all.take_front(sums));
      copies_.issue(k_.add(block, g_.stagesAhead()), write, from);
      multiply_.wait(1);
      copies_.completeIssue();
      copies_.advanceSources(from);
      read = copies_.advance(read);
      write = copies_.advance(write);
      return now;
    };
    SmallVector<Value> results =
        k_.forLoop(copies_.begin(), copies_.end(), 1, first, body);
    results.resize(sums);
    return results;
  }

  CudaKernelBuilder &k_;
  KernelEntry entry_;
  const GemmEntry &gemm_;
  const GemmSm90Geometry &g_;
  Value shared_, thread_;
  TileIndex index_;
  StageRing ring_;
  StageCopies copies_;
  StagePrologues prologues_;
  WarpGroupMultiply multiply_;
};

} // namespace

void emitGemm(Location loc, ModuleOp device, StringRef name,
              const kernel::FusionShape &shape, const GemmSm90Geometry &g,
              const llvm::SmallBitVector &constants,
              const std::optional<RunBound> &bound) {
  OpBuilder builder(device.getContext());
  GemmEntry gemm{shape, constants, bound, g.schedule.evictsResults};
  KernelEntry entry =
      gemm.create(builder, loc, device, name, g.raster, g.launchBounds());
  CudaKernelBuilder k(builder, loc);
  if (g.schedule.isPingPong()) {
    return emitPingPongGemm(k, entry, gemm, g,
                            dynamicShared(builder, loc, device));
  }
  gemm.keepBlocksOfRun(k, entry, g.raster, g.schedule.bm,
                       g.schedule.multicast());
  if (g.schedule.tma) {
    return emitTmaGemm(k, entry, gemm, g, dynamicShared(builder, loc, device));
  }
  GemmEmitter(k, entry, gemm, g, dynamicShared(builder, loc, device)).emit();
}

} // namespace minic::cuda
