// SPDX-License-Identifier: Apache-2.0
//
// Warps have roles: the last one copies, and the warp groups before it
// multiply. One thread of the last warp fills a ring of stages by TMA; a warp
// group that has multiplied a stage and waited for its products says so, and
// the stage is filled again. Nothing else keeps them together, so copies run as
// far ahead as there are stages. After the last stage all threads write the
// tile of sums out.
//
// All warps have as many registers: 288 threads may have 224 each, which the
// most sums need no more of (setmaxnreg would shift some from the warp that
// copies to the others).

#include "compiler/target/cuda/gemm_sm90/EmitTmaGemm.h"

#include "compiler/target/cuda/gemm_sm90/ClusterSums.h"
#include "compiler/target/cuda/gemm_sm90/RegisterEpilogue.h"
#include "compiler/target/cuda/gemm_sm90/TmaCopies.h"
#include "compiler/target/cuda/gemm_sm90/WarpGroupMultiply.h"

using namespace mlir;

namespace minic::cuda {

namespace {

class TmaGemmEmitter {
public:
  TmaGemmEmitter(CudaKernelBuilder &k, KernelEntry entry, const GemmEntry &gemm,
                 const GemmSm90Geometry &g, Value shared)
      : k_(k), entry_(entry), gemm_(gemm), g_(g), shared_(shared),
        thread_(k.threadIdX()), index_(g.raster.locate(k, k.blockIdX())),
        copies_(k, entry, g, shared, index_),
        cluster_(k, g, shared, thread_, index_) {}

  void emit() {
    const GemmSm90Schedule &s = g_.schedule;
    copies_.initBarriers();
    Value copies = k_.equal(k_.warpId(), 4 * s.warpGroups());
    k_.ifElse(copies, [&] { produce(); }, [&] { consume(); });
    bool isCluster = s.multicast() > 1;
    if (!g_.finishesInRegisters) {
      k_.barrier();
    }
    if (isCluster) {
      NVVM::ClusterArriveOp::create(k_.b, k_.loc, k_.b.getUnitAttr());
    }
    if (!g_.finishesInRegisters) {
      TileOfSums tile{s.bm,          s.bn,     g_.sumPitch(),
                      s.warpGroupsK, g_.lanes, s.threads()};
      TileEpilogue epilogue =
          gemm_.tileEpilogue(k_, entry_, tile, g_.raster, index_, thread_);
      gemm_.finish(entry_, epilogue, g_.raster, shared_);
    }
    if (isCluster) {
      // No block may end while others arrive at its barriers.
      NVVM::ClusterWaitOp::create(k_.b, k_.loc, k_.b.getUnitAttr());
    }
  }

private:
  void produce() {
    Value elected =
        NVVM::ElectSyncOp::create(k_.b, k_.loc, k_.b.getI1Type(), Value());
    k_.ifThen(elected,
              [&] { copies_.produce(gemm_.isConstant(g_.rhs.value)); });
    // For what the warp reads and writes of results.
    k_.waitForEarlierLaunches(g_.schedule.programmatic);
    g_.addsInCluster() ? cluster_.watch() : k_.barrier();
  }

  void consume() {
    if (g_.schedule.programmatic) {
      gemm_.prefetchBias(k_, entry_, index_, g_.schedule.bn, thread_);
    }
    k_.waitForEarlierLaunches(g_.schedule.programmatic);
    WarpGroupMultiply multiply(k_, g_, shared_, thread_);
    SmallVector<Value> sums = loop(multiply);
    WarpPlace place = multiply.place();
    RegisterEpilogue inRegisters(
        k_, g_, gemm_.shape, gemm_.epilogue(k_, entry_), index_,
        warpMemory(k_, g_, shared_),
        g_.addsInCluster() ? cluster_.placeOfBlock(place) : place);
    if (g_.finishesInRegisters) {
      inRegisters.prefetch();
    }
    multiply.finish(sums);
    // No warp group reads stages any more, and every copy has arrived: their
    // memory becomes the tile of sums, the cluster's, or the warps'.
    g_.addsInCluster() ? cluster_.add(sums) : k_.barrier();
    if (g_.finishesInRegisters) {
      inRegisters.finish(sums);
    } else {
      multiply.store(sums, shared_);
    }
  }

  SmallVector<Value> loop(WarpGroupMultiply &multiply) {
    Value inGroup = k_.rem(thread_, 128);
    SmallVector<Value> carried = multiply.zeros();
    size_t sums = carried.size();
    RingPlace start = copies_.first();
    // The stage before the one at hand, and that one.
    carried.append({start.stage, start.stage, start.parity});
    auto body = [&](Value block, ValueRange values) {
      SmallVector<Value> now(values);
      Value before = now[sums];
      RingPlace place{now[sums + 1], now[sums + 2]};
      copies_.awaitFull(place);
      multiply.multiply(copies_.position(place.stage), block,
                        MutableArrayRef(now).take_front(sums));
      // Tensor cores go on with this stage while the one before is given back.
      multiply.wait(1);
      k_.ifThen(k_.lessThan(copies_.begin(), block),
                [&] { copies_.release(before, inGroup); });
      RingPlace after = copies_.next(place);
      now[sums] = place.stage;
      now[sums + 1] = after.stage;
      now[sums + 2] = after.parity;
      return now;
    };
    SmallVector<Value> results =
        k_.forLoop(copies_.begin(), copies_.end(), 1, carried, body);
    results.resize(sums);
    return results;
  }

  CudaKernelBuilder &k_;
  KernelEntry entry_;
  const GemmEntry &gemm_;
  const GemmSm90Geometry &g_;
  Value shared_, thread_;
  TileIndex index_;
  TmaCopies copies_;
  ClusterSums cluster_;
};

} // namespace

void emitTmaGemm(CudaKernelBuilder &k, KernelEntry entry, const GemmEntry &gemm,
                 const GemmSm90Geometry &g, Value shared) {
  TmaGemmEmitter(k, entry, gemm, g, shared).emit();
}

} // namespace minic::cuda
