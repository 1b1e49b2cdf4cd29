// SPDX-License-Identifier: Apache-2.0
//
// The first pass of the ring waits for nothing, since all stages are empty. So
// a stage's first wait is for phase 0 of both its barriers, and each wait is
// for the phase after the one before: no parity is ever two phases old.

#include "compiler/target/cuda/gemm_sm90/TmaCopies.h"

#include "compiler/target/cuda/MBarrier.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;

namespace minic::cuda {

TmaCopies::TmaCopies(CudaKernelBuilder &builder, KernelEntry entry,
                     const GemmSm90Geometry &geometry, Value shared,
                     const TileIndex &index)
    : k_(builder), entry_(entry), g_(geometry), shared_(shared),
      barriers_(
          k_.advance(shared, geometry.stageBarriers(), builder.b.getI8Type())),
      rank_(k_.rem(k_.blockIdX(), geometry.schedule.multicast())),
      index_(index) {
  int64_t splits = g_.schedule.splitK;
  begin_ = k_.mul(index.split, g_.kBlocksPerSplit);
  Value end = k_.add(begin_, g_.kBlocksPerSplit);
  end_ = g_.kBlocks % splits == 0 ? end : k_.min(end, k_.i32(g_.kBlocks));
}

Value TmaCopies::full(Value stage) {
  return k_.advance(barriers_, k_.mul(stage, kMBarrierBytes), k_.b.getI8Type());
}

Value TmaCopies::empty(Value stage) {
  return k_.advance(full(stage), g_.schedule.stages * kMBarrierBytes,
                    k_.b.getI8Type());
}

Value TmaCopies::turn(Value team) {
  return k_.advance(full(team), 2 * g_.schedule.stages * kMBarrierBytes,
                    k_.b.getI8Type());
}

Value TmaCopies::kept() { return turn(k_.i32(g_.schedule.teams())); }

Value TmaCopies::map(bool isRhs) {
  return entry_.function.getArguments().take_back(2)[isRhs ? 1 : 0];
}

Value TmaCopies::position(Value stage) {
  return k_.mul(stage, g_.stageBytes());
}

RingPlace TmaCopies::first() { return {k_.i32(0), k_.i32(0)}; }

RingPlace TmaCopies::next(const RingPlace &place) {
  Value after = k_.add(place.stage, 1);
  Value wraps = k_.equal(after, g_.schedule.stages);
  Value other = arith::XOrIOp::create(k_.b, k_.loc, place.parity, k_.i32(1));
  auto select = [&](Value whenTrue, Value whenFalse) -> Value {
    return arith::SelectOp::create(k_.b, k_.loc, wraps, whenTrue, whenFalse);
  };
  return {select(k_.i32(0), after), select(other, place.parity)};
}

void TmaCopies::initBarriers() {
  const GemmSm90Schedule &s = g_.schedule;
  k_.ifThen(k_.equal(k_.threadIdX(), 0), [&] {
    for (int64_t stage = 0; stage != s.stages; ++stage) {
      initMBarrier(k_, full(k_.i32(stage)), 1);
      initMBarrier(k_, empty(k_.i32(stage)), s.warpGroups() * s.multicast());
    }
    for (int64_t team = 0; s.isPingPong() && team != s.teams(); ++team) {
      initMBarrier(k_, turn(k_.i32(team)), 1);
    }
    if (s.keepsRhs) {
      initMBarrier(k_, kept(), 1);
    }
    fenceMBarrierInit(k_);
  });
  s.multicast() > 1 ? k_.clusterBarrier() : k_.barrier();
}

void TmaCopies::expect(Value stage) {
  // Of whole boxes: what is filled with zeros counts, too.
  arriveExpecting(k_, full(stage), g_.stageBytes());
}

TmaCopies::BoxPlace TmaCopies::rows(const TmaOperand &operand, Value firstRow,
                                    Value block) {
  BoxPlace place;
  place.at = {k_.mul(block, g_.schedule.bk), firstRow};
  for (const TmaOperand::BatchDim &dim : operand.batchDims) {
    place.at.push_back(k_.rem(k_.div(index_.batch, dim.divisor), dim.extent));
  }
  return place;
}

TmaCopies::BoxPlace TmaCopies::windows(const ImageMatrix &image, Value firstRow,
                                       Value block) {
  const graph::Conv2dGeometry &g = image.conv;
  int64_t pixels = g.outputHeight * g.outputWidth;
  Value pixel = k_.rem(firstRow, pixels);
  auto first = [&](Value output, int64_t stride, int64_t pad) {
    return k_.sub(k_.mul(output, stride), k_.i32(pad));
  };
  Value k = k_.mul(block, g_.schedule.bk);
  Value channel = k_.rem(k, image.channels);
  if (g.groups > 1) {
    channel = k_.add(channel, k_.mul(index_.batch, image.channels));
  }
  BoxPlace place;
  place.at = {channel,
              first(k_.rem(pixel, g.outputWidth), g.strideWidth, g.padLeft),
              first(k_.div(pixel, g.outputWidth), g.strideHeight, g.padTop),
              k_.div(firstRow, pixels)};
  Value tap = k_.div(k, image.channels);
  auto distance = [&](Value number, int64_t dilation) -> Value {
    return arith::TruncIOp::create(k_.b, k_.loc, k_.b.getI16Type(),
                                   k_.mul(number, dilation));
  };
  place.tap = {distance(k_.rem(tap, image.tapColumns), g.dilationWidth),
               distance(k_.div(tap, image.tapColumns), g.dilationHeight)};
  return place;
}

void TmaCopies::copy(const TmaOperand &operand, Value map, Value firstRow,
                     int64_t sharers, Value to, Value barrier, Value block) {
  if (sharers > 1) {
    Value part = k_.mul(rank_, operand.box[1]);
    firstRow = k_.add(firstRow, part);
    to = k_.add(to, k_.mul(part, g_.rowBytes));
  }
  BoxPlace from = operand.image ? windows(*operand.image, firstRow, block)
                                : rows(operand, firstRow, block);
  Value place = k_.advance(shared_, to, k_.b.getI8Type());
  Value blocks;
  if (sharers > 1) {
    place = k_.inCluster(place);
    blocks = k_.integer(k_.b.getI16Type(), (1 << sharers) - 1);
  }
  NVVM::CpAsyncBulkTensorGlobalToSharedClusterOp::create(
      k_.b, k_.loc, place, map, from.at, barrier, from.tap, blocks,
      /*l2CacheHint=*/Value(),
      operand.image ? NVVM::TMALoadMode::IM2COL : NVVM::TMALoadMode::TILE,
      /*isCTAOnly=*/sharers == 1, NVVM::CTAGroupKindAttr(),
      /*predicate=*/Value());
}

void TmaCopies::copyLhs(Value stage, Value block) {
  copy(g_.tmaLhs, map(/*isRhs=*/false), k_.mul(index_.tileM, g_.schedule.bm),
       g_.schedule.multicastN, position(stage), full(stage), block);
}

void TmaCopies::copyRhs(Value stage, Value block) {
  copy(g_.tmaRhs, map(/*isRhs=*/true), k_.mul(index_.tileN, g_.schedule.bn),
       g_.schedule.multicastM, k_.add(position(stage), g_.lhsTileBytes),
       full(stage), block);
}

void TmaCopies::copyKeptRhs() {
  arriveExpecting(k_, kept(), g_.keptBytes());
  Value firstColumn = k_.mul(index_.tileN, g_.schedule.bn);
  for (int64_t block = 0; block != g_.kBlocks; ++block) {
    int64_t to = g_.schedule.stages * g_.stageBytes() + block * g_.rhsTileBytes;
    copy(g_.tmaRhs, map(/*isRhs=*/true), firstColumn, /*sharers=*/1, k_.i32(to),
         kept(), k_.i32(block));
  }
}

void TmaCopies::awaitKeptRhs() { awaitPhase(k_, kept(), k_.i32(0)); }

void TmaCopies::prefetchMaps() {
  for (bool isRhs : {false, true}) {
    NVVM::PrefetchOp::create(k_.b, k_.loc, NVVM::PrefetchCacheLevelAttr(),
                             NVVM::CacheEvictionPriorityAttr(), map(isRhs),
                             /*predicate=*/Value(),
                             /*tensormap=*/k_.b.getUnitAttr());
  }
}

void TmaCopies::produce(bool rhsIsConstant) {
  prefetchMaps();
  bool isProgrammatic = g_.schedule.programmatic;
  Value stages = k_.i32(g_.schedule.stages);
  Value atOnce = k_.min(stages, k_.sub(end_, begin_));
  auto eachOfFirst = [&](llvm::function_ref<void(Value, Value)> body) {
    k_.forLoop(k_.i32(0), atOnce, 1,
               [&](Value stage) { body(stage, k_.add(begin_, stage)); });
  };
  // The weights' first stages, which no earlier launch writes, before the
  // activations'.
  bool early = isProgrammatic && rhsIsConstant;
  if (early) {
    eachOfFirst([&](Value stage, Value block) {
      expect(stage);
      copyRhs(stage, block);
    });
  }
  k_.waitForEarlierLaunches(isProgrammatic);
  eachOfFirst([&](Value stage, Value block) {
    if (!early) {
      expect(stage);
    }
    copyLhs(stage, block);
    if (!early) {
      copyRhs(stage, block);
    }
  });
  k_.allowLaterLaunches(isProgrammatic);
  // There are more only where the first ones filled the ring.
  RingPlace start = first();
  SmallVector<Value> carried = {start.stage, start.parity};
  k_.forLoop(k_.add(begin_, atOnce), end_, 1, carried,
             [&](Value block, ValueRange values) {
               RingPlace place{values[0], values[1]};
               awaitEmpty(place);
               expect(place.stage);
               copyLhs(place.stage, block);
               copyRhs(place.stage, block);
               RingPlace after = next(place);
               return SmallVector<Value>{after.stage, after.parity};
             });
}

void TmaCopies::awaitEmpty(const RingPlace &place) {
  awaitPhase(k_, empty(place.stage), place.parity);
}

void TmaCopies::awaitFull(const RingPlace &place) {
  awaitPhase(k_, full(place.stage), place.parity);
}

void TmaCopies::release(Value stage, Value thread) {
  int64_t blocks = g_.schedule.multicast();
  if (blocks == 1) {
    k_.ifThen(k_.equal(thread, 0), [&] { arriveAt(k_, empty(stage)); });
    return;
  }
  // A thread for each block.
  k_.ifThen(k_.lessThan(thread, blocks),
            [&] { arriveAtBlock(k_, empty(stage), thread); });
}

} // namespace minic::cuda
