// SPDX-License-Identifier: Apache-2.0
//
// Which stages a block has, where their operands lie, and what is copied before
// the loop over them.

#include "compiler/target/cuda/gemm/StageCopies.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;

namespace minic::cuda {

StageCopies::StageCopies(CudaKernelBuilder &builder, KernelEntry entry,
                         const StageRing &ring)
    : k_(builder), entry_(entry), ring_(ring), g_(ring.geometry) {
  begin_ = k_.mul(ring.index.split, g_.kBlocksPerSplit);
  Value end = k_.add(begin_, g_.kBlocksPerSplit);
  end_ = g_.kBlocks % ring.schedule.splitK == 0
             ? end
             : k_.min(end, k_.i32(g_.kBlocks));
}

Value StageCopies::matrix(const GemmOperand &operand) {
  Value base = entry_.parameter(operand.argument);
  Value batch = ring_.index.batch;
  Value offset = k_.i64(0);
  for (size_t d = operand.batchStrides.size(); d-- > 0;) {
    Value at = k_.rem(batch, g_.gemm.batch[d]);
    batch = k_.div(batch, g_.gemm.batch[d]);
    Value wide = arith::ExtUIOp::create(k_.b, k_.loc, k_.b.getI64Type(), at);
    offset = k_.add(offset, k_.mul(wide, operand.batchStrides[d]));
  }
  return k_.advance(base, offset, operand.type);
}

void StageCopies::add(const GemmOperand &operand, bool isRhs, int64_t rowBytes,
                      int64_t offset, bool isUniform) {
  if (g_.image && g_.imageIsRhs == isRhs) {
    return addImages(operand, isRhs, offset);
  }
  int64_t rows = isRhs ? ring_.schedule.bn : ring_.schedule.bm;
  Value firstRow = k_.mul(isRhs ? ring_.index.tileN : ring_.index.tileM, rows);
  Value base = matrix(operand);
  auto copy = [&](const CopiedRows &copied) {
    TileCopy tile(k_, operand, copied, rows, rowBytes, ring_.threads,
                  ring_.thread, base, firstRow,
                  k_.mul(begin_, ring_.schedule.bk));
    copies_.push_back({tile, rowBytes, offset, isRhs});
  };
  if (operand.hasWideEvenRows() && !isUniform) {
    copy({/*first=*/0, /*step=*/2, 2 * operand.accessBytes});
    copy({/*first=*/1, /*step=*/2, operand.accessBytes});
  } else {
    copy({/*first=*/0, /*step=*/1, operand.accessBytes});
  }
}

void StageCopies::addImages(const GemmOperand &operand, bool isRhs,
                            int64_t offset) {
  ImageTile tile;
  tile.rows = isRhs ? ring_.schedule.bn : ring_.schedule.bm;
  tile.rowBytes = g_.rowBytes, tile.threads = ring_.threads;
  tile.thread = ring_.thread;
  tile.firstRow =
      k_.mul(isRhs ? ring_.index.tileN : ring_.index.tileM, tile.rows);
  tile.base = matrix(operand);
  images_.emplace(Images{
      ImageCopy(k_, *g_.image, operand, tile), offset, isRhs, {}, Value()});
}

Value StageCopies::firstK(Value block) {
  return k_.mul(block, ring_.schedule.bk);
}

Value StageCopies::kLeft(Value block) {
  return k_.sub(k_.i32(g_.gemm.k), firstK(block));
}

void StageCopies::issueAhead(int64_t stage, bool lhs, bool rhs) {
  Type i8 = k_.b.getI8Type();
  Value block = k_.add(begin_, stage);
  Value memory = k_.advance(ring_.shared, stage * ring_.stageBytes, i8);
  auto copy = [&] {
    for (Copy &each : copies_) {
      if (each.isOfRhs ? rhs : lhs) {
        Value source =
            k_.advance(each.tile.source(), stage * each.rowBytes, i8);
        each.tile.issue(source, k_.advance(memory, each.offset, i8),
                        kLeft(block));
      }
    }
    if (images_ && (images_->isOfRhs ? rhs : lhs)) {
      Value to = k_.advance(memory, images_->offset, i8);
      ImageCopy &tile = images_->tile;
      tile.gathers() ? tile.store(tile.load(firstK(block)), to)
                     : tile.issue(firstK(block), to);
    }
  };
  // All splits but the last have kBlocksPerSplit stages.
  bool always =
      g_.kBlocksPerSplit > stage && g_.kBlocks % ring_.schedule.splitK == 0;
  always ? copy() : k_.ifThen(k_.lessThan(block, end_), copy);
}

void StageCopies::issueFirst(bool rhsIsConstant) {
  bool isProgrammatic = ring_.schedule.programmatic;
  // The weights' first stages, which no earlier launch writes, before the
  // activations'.
  bool early = isProgrammatic && rhsIsConstant;
  for (int64_t stage = 0; early && stage != ring_.ahead; ++stage) {
    issueAhead(stage, /*lhs=*/false, /*rhs=*/true);
  }
  k_.waitForEarlierLaunches(isProgrammatic);
  for (int64_t stage = 0; stage != ring_.ahead; ++stage) {
    issueAhead(stage, /*lhs=*/true, /*rhs=*/!early);
    NVVM::CpAsyncCommitGroupOp::create(k_.b, k_.loc);
  }
  k_.allowLaterLaunches(isProgrammatic);
}

SmallVector<Value> StageCopies::sources() {
  SmallVector<Value> sources;
  for (Copy &copy : copies_) {
    sources.push_back(k_.advance(
        copy.tile.source(), ring_.ahead * copy.rowBytes, k_.b.getI8Type()));
  }
  return sources;
}

void StageCopies::issue(Value block, Value position, ArrayRef<Value> sources) {
  Type i8 = k_.b.getI8Type();
  Value memory = k_.advance(ring_.shared, position, i8);
  if (images_) {
    images_->stage = k_.advance(memory, images_->offset, i8);
    if (images_->tile.gathers()) {
      images_->loaded = images_->tile.load(firstK(block));
    }
  }
  k_.ifThen(k_.lessThan(block, end_), [&] {
    if (images_ && !images_->tile.gathers()) {
      images_->tile.issue(firstK(block), images_->stage);
    }
    for (auto [copy, source] : llvm::zip_equal(copies_, sources)) {
      copy.tile.issue(source, k_.advance(memory, copy.offset, i8),
                      kLeft(block));
    }
  });
  NVVM::CpAsyncCommitGroupOp::create(k_.b, k_.loc);
}

void StageCopies::completeIssue() {
  if (images_ && images_->tile.gathers()) {
    images_->tile.store(images_->loaded, images_->stage);
  }
}

void StageCopies::advanceSources(MutableArrayRef<Value> sources) {
  for (auto [copy, source] : llvm::zip_equal(copies_, sources)) {
    source = k_.advance(source, copy.rowBytes, k_.b.getI8Type());
  }
}

Value StageCopies::advance(Value position) {
  Value next = k_.add(position, ring_.stageBytes);
  Value wraps =
      arith::CmpIOp::create(k_.b, k_.loc, arith::CmpIPredicate::eq, next,
                            k_.i32(ring_.schedule.stages * ring_.stageBytes));
  return arith::SelectOp::create(k_.b, k_.loc, wraps, k_.i32(0), next);
}

} // namespace minic::cuda
