// SPDX-License-Identifier: Apache-2.0
//
// A ring of stages: copies of stage i + stages - 1 are under way while stage i
// is multiplied. One barrier per stage says both that its copies have landed
// and that all warps have left the stage whose memory the next copies take.

#include "compiler/target/cuda/gemm_sm80/EmitGemm.h"

#include "compiler/target/cuda/gemm/TileEpilogue.h"
#include "compiler/target/cuda/gemm_sm80/Multiply.h"
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
              const GemmSm80Geometry &g, int64_t operands)
      : k_(builder, loc), entry_(entry), shape_(shape), g_(g),
        operands_(operands), shared_(dynamicShared(builder, loc, device)) {}

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

  TileCopy copyOf(const GemmOperand &operand, int64_t rows, Value tile) {
    return TileCopy(k_, operand, rows, g_.rowBytes, g_.schedule.threads(),
                    thread_, matrix(operand), k_.mul(tile, rows),
                    k_.mul(begin_, g_.schedule.bk));
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
    TileCopy lhs = copyOf(g_.lhs, g_.schedule.bm, index_.tileM);
    TileCopy rhs = copyOf(g_.rhs, g_.schedule.bn, index_.tileN);
    auto commit = [&] { NVVM::CpAsyncCommitGroupOp::create(b, k_.loc); };

    // The weights' first stages, which no earlier launch writes, before the
    // activations'.
    bool early = g_.schedule.programmatic && rhsIsConstant_;
    auto ahead = [&](int64_t stage, bool copyLhs, bool copyRhs) {
      Value block = k_.add(begin_, stage);
      Value memory = k_.advance(shared_, stage * stageBytes, i8);
      auto issue = [&] {
        if (copyLhs) {
          lhs.issue(k_.advance(lhs.source(), stage * g_.rowBytes, i8), memory,
                    kLeft(block));
        }
        if (copyRhs) {
          rhs.issue(k_.advance(rhs.source(), stage * g_.rowBytes, i8),
                    rhsTile(memory), kLeft(block));
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

    Value zero = arith::ConstantOp::create(b, k_.loc, b.getF32FloatAttr(0));
    SmallVector<Value> carried(size_t(g_.accumulators()), zero);
    size_t count = carried.size();
    // Then: where copies read, and the ring's positions to read and write.
    int64_t ahead1 = stages - 1;
    carried.push_back(k_.advance(lhs.source(), ahead1 * g_.rowBytes, i8));
    carried.push_back(k_.advance(rhs.source(), ahead1 * g_.rowBytes, i8));
    carried.push_back(k_.i32(0));
    carried.push_back(k_.i32(ahead1 * stageBytes));
    auto advanceRing = [&](Value position) -> Value {
      Value next = k_.add(position, stageBytes);
      Value wraps = arith::CmpIOp::create(b, k_.loc, arith::CmpIPredicate::eq,
                                          next, k_.i32(stages * stageBytes));
      return arith::SelectOp::create(b, k_.loc, wraps, k_.i32(0), next);
    };
    SmallVector<Value> results = k_.forLoop(
        begin_, end_, 1, carried,
        [&](Value block, ValueRange values) -> SmallVector<Value> {
          SmallVector<Value> next(values);
          Value lhsSource = next[count], rhsSource = next[count + 1];
          Value read = next[count + 2], write = next[count + 3];
          NVVM::CpAsyncWaitGroupOp::create(b, k_.loc, int32_t(stages - 2));
          k_.barrier();
          Value later = k_.add(block, ahead1);
          k_.ifThen(k_.lessThan(later, end_), [&] {
            Value memory = k_.advance(shared_, write, i8);
            lhs.issue(lhsSource, memory, kLeft(later));
            rhs.issue(rhsSource, rhsTile(memory), kLeft(later));
          });
          commit();
          Value memory = k_.advance(shared_, read, i8);
          multiply.stage(memory, rhsTile(memory),
                         MutableArrayRef(next).take_front(count));
          next[count] = k_.advance(lhsSource, g_.rowBytes, i8);
          next[count + 1] = k_.advance(rhsSource, g_.rowBytes, i8);
          next[count + 2] = advanceRing(read);
          next[count + 3] = advanceRing(write);
          return next;
        });
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
  bool rhsIsConstant_ = false;
  Value shared_, thread_, begin_, end_;
  TileIndex index_;
};

} // namespace

void emitGemm(Location loc, ModuleOp device, StringRef name,
              const kernel::FusionShape &shape, const GemmSm80Geometry &g,
              int64_t operands) {
  OpBuilder builder(device.getContext());
  KernelLaunchBounds bounds;
  bounds.threads = g.schedule.threads();
  bounds.pointers = operands + int64_t(shape.results.size()) +
                    (g.schedule.splitK > 1 ? 2 : 0);
  KernelEntry entry = KernelEntry::create(builder, loc, device, name, bounds);
  GemmEmitter(builder, loc, device, entry, shape, g, operands).emit();
}

} // namespace minic::cuda
