// SPDX-License-Identifier: Apache-2.0
//
// The chunks' parts of each group become its mean and the factor that pixels
// are multiplied by; then all that is behind the norm is computed and stored.

#include "compiler/target/cuda/EpilogueEmitter.h"
#include "compiler/target/cuda/group_norm/Moments.h"
#include "compiler/target/cuda/group_norm/PixelKernel.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <memory>

using namespace mlir;

namespace minic::cuda {

namespace {

class ResultEmitter : PixelKernel {
public:
  using PixelKernel::PixelKernel;

  void emit() {
    k.allowLaterLaunches(g.schedule.programmatic);
    Value scale = loadOfChannels(norm.scale), bias = loadOfChannels(norm.bias);
    turnPlanes();
    std::vector<Pixel> kept;
    if (g.keeps()) {
      kept = loadPixels(row, g.steps());
    }
    k.waitForEarlierLaunches(g.schedule.programmatic);
    findFactors();
    k.barrier();
    setLine(scale, bias);
    if (g.keeps()) {
      store(kept);
      return;
    }
    int64_t unroll = g.schedule.unroll;
    k.forLoop(k.i32(0), k.i32(g.steps()), unroll, [&](Value step) {
      Value from = k.add(row, k.mul(step, g.schedule.pixels));
      std::vector<Pixel> pixels = loadPixels(from, unroll);
      store(pixels);
    });
  }

private:
  struct Pixel {
    Value isInside; // null: always
    Value raw;
    std::unique_ptr<EpilogueEmitter> behind;
  };

  /// Null without one; as it lies in memory.
  Value loadOfChannels(BlockArgument argument) {
    if (!argument) {
      return {};
    }
    Type storage = cast<RankedTensorType>(argument.getType()).getElementType();
    return loadChannels(k.advance(operand(argument), channel, storage),
                        storage);
  }

  /// The thread's pixels from `from` on, and what follows the norm there.
  std::vector<Pixel> loadPixels(Value from, int64_t count) {
    bool areInside = isExact() && g.steps() % count == 0;
    std::vector<Pixel> pixels;
    for (int64_t i = 0; i != count; ++i) {
      Value at = k.add(from, i * g.schedule.pixels);
      Pixel &pixel = pixels.emplace_back();
      pixel.isInside = isBusy;
      if (!areInside) {
        Value isInside = k.lessThan(at, end);
        pixel.isInside =
            isBusy ? arith::AndIOp::create(k.b, k.loc, isBusy, isInside)
                         .getResult()
                   : isInside;
        at = k.min(at, k.sub(end, k.i32(1)));
      }
      pixel.raw = loadPixel(at);
      pixel.behind = std::make_unique<EpilogueEmitter>(k, norm.after,
                                                       p.operands, p.results);
      pixel.behind->prefetch({k.add(first, at), channel, g.vector});
    }
    return pixels;
  }

  /// Leaves mean and 1 / deviation of each group in shared memory.
  void findFactors() {
    forGroups([&](Value group, Value own, Value isFirst) {
      Moments merged =
          mergeNeighbours(k, ofImage(group, own), g.groupThreads());
      double count = double(g.pixels) * double(g.perGroup());
      Value variance = arith::MulFOp::create(k.b, k.loc, merged.squares,
                                             floatOf(k, 1 / count));
      variance =
          arith::AddFOp::create(k.b, k.loc, variance, floatOf(k, norm.epsilon));
      Value factor =
          arith::DivFOp::create(k.b, k.loc, floatOf(k, 1),
                                math::SqrtOp::create(k.b, k.loc, variance));
      k.ifThen(isFirst, [&] { storePair(merged.mean, factor, shared, group); });
    });
  }

  /// Of the chunks of the block's image.
  Moments ofImage(Value group, Value own) {
    int64_t blocks = g.schedule.blocks;
    MomentWalk walk;
    walk.first = own;
    walk.step = g.groupThreads();
    walk.count = int64_t(llvm::divideCeil(blocks, walk.step));
    walk.end = k.i32(blocks);
    walk.isExact = blocks % walk.step == 0;
    walk.atOnce = kPartsAtOnce;
    int64_t last = g.pixels - (blocks - 1) * g.chunk();
    return mergeAlong(k, walk, [&](Value number) -> Moments {
      auto [mean, squares] = loadPair(p.workspace, partOf(group, number));
      Value count = floatOf(k, double(g.chunk() * g.perGroup()));
      if (!g.areChunksEqual()) {
        count = arith::SelectOp::create(
            k.b, k.loc, k.lessThan(number, blocks - 1), count,
            floatOf(k, double(last * g.perGroup())));
      }
      return {count, mean, squares};
    });
  }

  /// Sets what a pixel becomes: (x - mean) * slope + bias.
  void setLine(Value scale, Value bias) {
    SmallVector<Value> means, factors;
    bool isOneGroup = g.perGroup() % g.vector == 0;
    for (int64_t lane = 0; lane != (isOneGroup ? 1 : g.vector); ++lane) {
      Value group = k.div(k.add(channel, lane), g.perGroup());
      auto [laneMean, factor] = loadPair(shared, group);
      means.push_back(laneMean);
      factors.push_back(factor);
    }
    auto gather = [&](ArrayRef<Value> lanes) -> Value {
      auto type = VectorType::get(g.vector, k.b.getF32Type());
      return isOneGroup
                 ? k.splat(lanes[0], g.vector)
                 : vector::FromElementsOp::create(k.b, k.loc, type, lanes)
                       .getResult();
    };
    mean = gather(means), slope = gather(factors);
    auto computed = [&](Value raw, BlockArgument argument) {
      return k.toCompute(
          raw, cast<RankedTensorType>(argument.getType()).getElementType());
    };
    if (scale) {
      slope =
          arith::MulFOp::create(k.b, k.loc, slope, computed(scale, norm.scale));
    }
    offset = bias ? computed(bias, norm.bias) : Value();
  }

  void store(std::vector<Pixel> &pixels) {
    for (Pixel &pixel : pixels) {
      ifTrue(pixel.isInside, [&] { pixel.behind->finish(normalized(pixel)); });
    }
  }

  Value normalized(const Pixel &pixel) {
    Value centred = arith::SubFOp::create(
        k.b, k.loc, k.toCompute(pixel.raw, norm.dtype), mean);
    return offset
               ? math::FmaOp::create(k.b, k.loc, centred, slope, offset)
                     .getResult()
               : arith::MulFOp::create(k.b, k.loc, centred, slope).getResult();
  }

  Value mean, slope, offset; // offset: null for none
};

} // namespace

void emitResults(CudaKernelBuilder &k, const GroupNormFusion &norm,
                 const GroupNormGeometry &geometry,
                 const PixelPointers &pointers) {
  ResultEmitter(k, norm, geometry, pointers).emit();
}

} // namespace minic::cuda
