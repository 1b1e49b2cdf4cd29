// SPDX-License-Identifier: Apache-2.0
//
// Mean and squares of the groups of a chunk: those of each channel that a
// thread has, which meet in shared memory, become the chunk's part in the
// workspace.

#include "compiler/target/cuda/group_norm/Moments.h"
#include "compiler/target/cuda/group_norm/PixelKernel.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace minic::cuda {

namespace {

class StatisticsEmitter : PixelKernel {
public:
  using PixelKernel::PixelKernel;

  void emit() {
    k.waitForEarlierLaunches(g.schedule.programmatic);
    k.allowLaterLaunches(g.schedule.programmatic);
    turnPlanes();
    storeChannels(ofPixels());
    k.barrier();
    forGroups([&](Value group, Value own, Value isFirst) {
      Moments merged =
          mergeNeighbours(k, ofGroup(group, own), g.groupThreads());
      k.ifThen(isFirst, [&] {
        storePair(merged.mean, merged.squares, p.workspace,
                  partOf(group, chunk));
      });
    });
  }

private:
  /// Of the thread's pixels, each channel by itself.
  Moments ofPixels() {
    MomentWalk walk;
    walk.first = row;
    walk.step = g.schedule.pixels;
    walk.end = end;
    walk.count = g.steps();
    walk.isExact = isExact();
    walk.atOnce = g.schedule.unroll;
    walk.lanes = g.vector;
    return mergeAlong(k, walk, [&](Value pixel) -> Moments {
      return {floatOf(k, 1), k.toCompute(loadPixel(pixel), norm.dtype),
              k.zeroVector(k.b.getF32Type(), g.vector)};
    });
  }

  Value squaresAt() {
    return k.advance(shared, g.schedule.pixels * g.channels, k.b.getF32Type());
  }

  void storeChannels(const Moments &own) {
    Value at = k.add(k.mul(row, g.channels), channel);
    ifTrue(isBusy, [&] {
      Type f32 = k.b.getF32Type();
      k.storeAligned(own.mean, k.advance(shared, at, f32));
      k.storeAligned(own.squares, k.advance(squaresAt(), at, f32));
    });
  }

  /// Of the channels that the threads of the block had.
  Moments ofGroup(Value group, Value own) {
    MomentWalk walk;
    walk.first = own;
    walk.step = g.groupThreads();
    walk.count =
        int64_t(llvm::divideCeil(g.schedule.pixels * g.perGroup(), walk.step));
    walk.end = k.i32(g.schedule.pixels * g.perGroup());
    walk.isExact = g.schedule.pixels * g.perGroup() % walk.step == 0;
    walk.atOnce = kPartsAtOnce;
    return mergeAlong(k, walk, [&](Value number) -> Moments {
      Value from = k.div(number, g.perGroup());
      Value inGroup = k.rem(number, g.perGroup());
      Value at = k.add(
          k.add(k.mul(from, g.channels), k.mul(group, g.perGroup())), inGroup);
      return {pixelsOf(from), floatAt(shared, at), floatAt(squaresAt(), at)};
    });
  }

  /// How many pixels the threads with the first pixel `from` had.
  Value pixelsOf(Value from) {
    if (isExact()) {
      return floatOf(k, double(g.steps()));
    }
    Value rest = k.sub(k.add(end, g.schedule.pixels - 1), from);
    return arith::SIToFPOp::create(k.b, k.loc, k.b.getF32Type(),
                                   k.div(rest, g.schedule.pixels));
  }
};

} // namespace

void emitStatistics(CudaKernelBuilder &k, const GroupNormFusion &norm,
                    const GroupNormGeometry &geometry,
                    const PixelPointers &pointers) {
  StatisticsEmitter(k, norm, geometry, pointers).emit();
}

} // namespace minic::cuda
