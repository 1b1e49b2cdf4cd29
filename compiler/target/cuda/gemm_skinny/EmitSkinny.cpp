// SPDX-License-Identifier: Apache-2.0
//
// Warps take batches of K in turn. Each copies the weights of its next batches
// to shared memory: the first ones before earlier launches are done, and before
// a prologue makes the lhs. Loads into registers would leave few for the lhs,
// and pass through L1, which has 28 KiB where kernels ask for the most shared
// memory.

#include "compiler/target/cuda/gemm_skinny/EmitSkinny.h"

#include "compiler/target/cuda/gemm_skinny/SkinnyDot.h"
#include "compiler/target/cuda/gemm_skinny/SkinnyLhs.h"
#include "compiler/target/cuda/gemm_skinny/SkinnyReduction.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;

namespace minic::cuda {

namespace {

class Emitter {
public:
  using Values = SkinnyDot::Values;

  /// `shared`: the block's memory.
  Emitter(CudaKernelBuilder &k, const SkinnyGeometry &geometry, SkinnyDot &dot,
          Value shared, llvm::function_ref<void()> afterFirstLoads)
      : k(k), g(geometry), dot(dot), shared(shared),
        afterFirstLoads(afterFirstLoads),
        streams(g.schedule.warps * g.schedule.split) {}

  /// The sums of warp number `warp` of all that split K.
  Values emit(Value warp) {
    Values sums = dot.zeroSums();
    int64_t batches = g.fullBatches();
    if (batches == 0) {
      afterFirstLoads();
    } else {
      sums = emitBatches(sums, warp, batches);
    }
    return emitRest(sums, warp);
  }

private:
  int64_t stride() const { return streams * g.batchK(); }

  /// Whole batches. A lane reads what it copied itself: it waits for its own
  /// copies, and no warp for another.
  Values emitBatches(Values sums, Value warp, int64_t batches) {
    int64_t stages = g.schedule.stages, unroll = g.schedule.unroll;
    Value first = k.mul(warp, g.batchK());
    Value lane = k.mul(k.laneId(), 16);
    // Warps are numbered through all blocks that split K.
    Value own = k.mul(k.rem(warp, g.schedule.warps), stages * g.stageBytes());
    Value memory = k.advance(shared, k.add(k.add(own, lane), g.weightsOffset()),
                             k.b.getI8Type());
    auto stage = [&](auto offset) {
      return k.advance(memory, offset, k.b.getI8Type());
    };
    auto copy = [&](Value at, Value to) { dot.copyWeights(at, unroll, to); };
    Value end = k.i32(batches * g.batchK());
    for (int64_t i = 0; i != stages; ++i) {
      Value at = k.add(first, i * stride());
      auto issue = [&] { copy(at, stage(i * g.stageBytes())); };
      (i + 1) * streams <= batches ? issue()
                                   : k.ifThen(k.lessThan(at, end), issue);
      NVVM::CpAsyncCommitGroupOp::create(k.b, k.loc);
    }
    afterFirstLoads();
    auto multiplied = [&](ValueRange sums, Value at, Value from) {
      return dot.multiply(sums, dot.readWeights(unroll, from), at, unroll,
                          /*guarded=*/false);
    };
    if (batches == stages * streams) {
      for (int64_t i = 0; i != stages; ++i) {
        NVVM::CpAsyncWaitGroupOp::create(k.b, k.loc, int32_t(stages - 1 - i));
        sums = multiplied(sums, k.add(first, i * stride()),
                          stage(i * g.stageBytes()));
      }
      return sums;
    }
    size_t count = sums.size();
    Values carried = sums;
    carried.push_back(k.i32(0));
    carried = k.forLoop(
        first, end, stride(), carried, [&](Value at, ValueRange values) {
          Value offset = values.back();
          NVVM::CpAsyncWaitGroupOp::create(k.b, k.loc, int32_t(stages - 1));
          Values result =
              multiplied(values.take_front(count), at, stage(offset));
          Value next = k.add(at, stages * stride());
          k.ifThen(k.lessThan(next, end), [&] { copy(next, stage(offset)); });
          NVVM::CpAsyncCommitGroupOp::create(k.b, k.loc);
          result.push_back(
              k.rem(k.add(offset, g.stageBytes()), stages * g.stageBytes()));
          return result;
        });
    carried.resize(count);
    return carried;
  }

  /// Chunks behind the last whole batch.
  Values emitRest(Values sums, Value warp) {
    int64_t begin = g.fullBatches() * g.batchK();
    if (begin == g.gemm.k) {
      return sums;
    }
    Value first = k.add(k.mul(warp, g.chunk()), begin);
    return k.forLoop(first, k.i32(g.gemm.k), streams * g.chunk(), sums,
                     [&](Value at, ValueRange values) {
                       bool guarded = g.gemm.k % g.chunk() != 0;
                       Values weights = dot.loadWeights(at, guarded);
                       return dot.multiply(values, weights, at, 1, guarded);
                     });
  }

  CudaKernelBuilder &k;
  const SkinnyGeometry &g;
  SkinnyDot &dot;
  Value shared;
  llvm::function_ref<void()> afterFirstLoads;
  const int64_t streams; // warps that split K
};

} // namespace

void emitSkinny(ModuleOp device, Location loc, StringRef name,
                const SkinnyFusion &fusion, const SkinnyGeometry &g,
                const llvm::SmallBitVector &constants) {
  OpBuilder builder(device.getContext());
  const kernel::FusionShape &shape = fusion.shape;
  int64_t operands = int64_t(constants.size());
  int64_t results = int64_t(shape.results.size());
  bool splits = g.meetsInMemory();
  KernelLaunchBounds bounds;
  bounds.threads = g.threads();
  bounds.minBlocksPerSm = g.minBlocksPerSm();
  bounds.pointers = operands + results + (splits ? 2 : 0);
  bounds.clusterX = g.schedule.clustered ? g.schedule.split : 0;
  KernelEntry entry = KernelEntry::create(builder, loc, device, name, bounds);
  CudaKernelBuilder k(builder, loc);
  Value shared = dynamicShared(builder, loc, device);
  Value made = k.advance(shared, g.lhsOffset(), builder.getI8Type());
  SmallVector<Value> pointers, arguments, written;
  for (int64_t i = 0; i != operands; ++i) {
    pointers.push_back(entry.parameter(i));
  }
  for (int64_t operand : fusion.operands) {
    arguments.push_back(operand < 0 ? made : pointers[size_t(operand)]);
  }
  for (int64_t result : fusion.results) {
    written.push_back(entry.parameter(operands + result));
  }
  auto argumentOf = [&](Value operand) {
    return arguments[cast<BlockArgument>(operand).getArgNumber()];
  };

  bool letsEarly = g.schedule.programmatic && !g.schedule.late;
  k.allowLaterLaunches(letsEarly);
  if (g.schedule.clustered) {
    k.arriveAtCluster(/*ordersMemory=*/false); // SkinnyReduction awaits it
  }
  Value tile = k.blockIdX();
  Value part = splits ? k.blockIdY() : k.i32(0);
  if (g.schedule.clustered) {
    part = k.rem(tile, g.schedule.split);
    tile = k.div(tile, g.schedule.split);
  }
  Value column = k.mul(tile, g.schedule.columns);
  std::unique_ptr<SkinnyDot> dot = SkinnyDot::create(
      k, g, argumentOf(g.gemm.lhs), argumentOf(g.gemm.rhs), column);
  EpilogueEmitter epilogue(k, shape, arguments, written);
  SkinnyReduction::Memory memory;
  memory.shared = shared;
  if (splits) {
    memory.workspace = entry.parameter(operands + results);
    memory.counters = entry.parameter(operands + results + 1);
  }
  SkinnyReduction reduction(k, g, shape, epilogue, memory);
  std::unique_ptr<SkinnyLhs> lhs;
  if (fusion.prologue) {
    lhs =
        SkinnyLhs::create(k, g, *fusion.prologue, pointers, constants, shared);
  }

  Value warp = k.warpId();
  Value stream = k.add(k.mul(part, g.schedule.warps), warp);
  SkinnyDot::Values sums = Emitter(k, g, *dot, shared, [&] {
                             if (lhs) {
                               lhs->begin();
                             }
                             k.waitForEarlierLaunches(g.schedule.programmatic);
                             k.allowLaterLaunches(g.schedule.late);
                             reduction.prefetch(tile);
                             if (lhs) {
                               lhs->make();
                               k.barrier();
                             }
                           }).emit(stream);
  Value own = k.advance(memory.shared, k.mul(warp, g.partialBytes() / 4),
                        builder.getF32Type());
  dot->storeSums(sums, own);
  k.barrier();
  reduction.emit(tile, part);
}

} // namespace minic::cuda
