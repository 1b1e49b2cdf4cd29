// SPDX-License-Identifier: Apache-2.0
//
// Warps take batches of K in turn. The weights of a batch are loaded while the
// one before is multiplied; the first ones before earlier launches are done,
// and before a prologue makes the lhs.

#include "compiler/target/cuda/gemm_skinny/EmitSkinny.h"

#include "compiler/target/cuda/gemm_skinny/SkinnyDot.h"
#include "compiler/target/cuda/gemm_skinny/SkinnyLhs.h"
#include "compiler/target/cuda/gemm_skinny/SkinnyReduction.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace minic::cuda {

namespace {

/// Fewer batches per warp than this are written out.
constexpr int64_t kMaxUnrolledBatches = 4;

class Emitter {
public:
  using Values = SkinnyDot::Values;

  Emitter(CudaKernelBuilder &k, const SkinnyGeometry &geometry, SkinnyDot &dot,
          llvm::function_ref<void()> afterFirstLoads)
      : k(k), g(geometry), dot(dot), afterFirstLoads(afterFirstLoads),
        streams(g.schedule.warps * g.schedule.split) {}

  /// The sums of warp number `warp` of all that split K.
  Values emit(Value warp) {
    Values sums = dot.zeroSums();
    int64_t batches = g.fullBatches();
    Value first = k.mul(warp, g.batchK());
    if (batches == 0) {
      afterFirstLoads();
    } else if (batches % streams == 0) {
      sums = emitBatches(sums, first, batches / streams);
    } else {
      sums = emitUneven(sums, first, warp, batches);
    }
    return emitRest(sums, warp);
  }

private:
  int64_t stride() const { return streams * g.batchK(); }
  Values load(Value at) {
    return dot.loadWeights(at, g.schedule.unroll, /*guarded=*/false);
  }
  Values multiply(ValueRange sums, ValueRange weights, Value at) {
    return dot.multiply(sums, weights, at, g.schedule.unroll,
                        /*guarded=*/false);
  }

  /// Every warp has `count` batches.
  Values emitBatches(Values sums, Value first, int64_t count) {
    Values weights = load(first);
    afterFirstLoads();
    if (count <= kMaxUnrolledBatches) {
      for (int64_t i = 0; i != count; ++i) {
        Value at = k.add(first, i * stride());
        Values next;
        if (i + 1 != count) {
          next = load(k.add(first, (i + 1) * stride()));
        }
        sums = multiply(sums, weights, at);
        weights = next;
      }
      return sums;
    }
    Value last = k.add(first, (count - 1) * stride());
    return pipelined(sums, weights, first, last, /*lastIsSure=*/{});
  }

  /// Warps differ by a batch; some may have none.
  Values emitUneven(Values sums, Value first, Value warp, int64_t batches) {
    Value hasAny = batches >= streams ? Value() : k.lessThan(warp, batches);
    Value begin =
        hasAny ? k.min(first, k.i32((batches - 1) * g.batchK())) : first;
    Values weights = load(begin);
    afterFirstLoads();
    // The last batch of this warp: warp + i * streams < batches.
    Value rounds = k.div(k.sub(k.i32(batches - 1 + streams), warp), streams);
    Value last = k.add(begin, k.mul(k.sub(rounds, k.i32(1)), stride()));
    return pipelined(sums, weights, begin, last, hasAny);
  }

  /// Batches from `first` to `last`; the first one's weights are loaded.
  /// `hasAny`: whether there is one at all (null: yes).
  Values pipelined(Values sums, Values weights, Value first, Value last,
                   Value hasAny) {
    size_t count = sums.size();
    Values carried = sums;
    llvm::append_range(carried, weights);
    carried = k.forLoop(
        first, last, stride(), carried, [&](Value at, ValueRange values) {
          Values next = load(k.add(at, stride()));
          Values result =
              multiply(values.take_front(count), values.drop_front(count), at);
          llvm::append_range(result, next);
          return result;
        });
    ValueRange all(carried);
    auto finish = [&] {
      return multiply(all.take_front(count), all.drop_front(count), last);
    };
    return hasAny ? either(hasAny, finish, all.take_front(count)) : finish();
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
                       Values weights = dot.loadWeights(at, 1, guarded);
                       return dot.multiply(values, weights, at, 1, guarded);
                     });
  }

  Values either(Value condition, llvm::function_ref<Values()> yes,
                ValueRange no) {
    auto branch = scf::IfOp::create(
        k.b, k.loc, condition,
        [&](OpBuilder &, Location) { scf::YieldOp::create(k.b, k.loc, yes()); },
        [&](OpBuilder &, Location) { scf::YieldOp::create(k.b, k.loc, no); });
    return Values(branch.getResults());
  }

  CudaKernelBuilder &k;
  const SkinnyGeometry &g;
  SkinnyDot &dot;
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
  bool splits = g.schedule.split > 1;
  KernelLaunchBounds bounds;
  bounds.threads = g.threads();
  bounds.minBlocksPerSm = g.minBlocksPerSm();
  bounds.pointers = operands + results + (splits ? 2 : 0);
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

  k.allowLaterLaunches(g.schedule.programmatic);
  Value tile = k.blockIdX();
  Value part = splits ? k.blockIdY() : k.i32(0);
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
  SkinnyDot::Values sums = Emitter(k, g, *dot, [&] {
                             if (lhs) {
                               lhs->begin();
                             }
                             k.waitForEarlierLaunches(g.schedule.programmatic);
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
