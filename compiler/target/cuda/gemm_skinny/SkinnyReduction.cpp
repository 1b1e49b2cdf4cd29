// SPDX-License-Identifier: Apache-2.0
//
// Threads are spread over the tile row by row, columns innermost, so that
// results are stored in whole sectors.

#include "compiler/target/cuda/gemm_skinny/SkinnyReduction.h"

#include "compiler/target/cuda/LastBlock.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace minic::cuda {

SkinnyReduction::SkinnyReduction(CudaKernelBuilder &k,
                                 const SkinnyGeometry &geometry,
                                 const kernel::FusionShape &shape,
                                 EpilogueEmitter &epilogue,
                                 const Memory &memory)
    : k(k), g(geometry), epilogue(epilogue), memory(memory),
      lanes(EpilogueEmitter::lanesFor(shape, 4)) {
  while (g.schedule.columns % lanes != 0) {
    lanes /= 2;
  }
}

Type SkinnyReduction::laneType() const {
  Type f32 = k.b.getF32Type();
  return lanes == 1 ? f32 : VectorType::get(lanes, f32);
}

void SkinnyReduction::forEachGroup(
    llvm::function_ref<void(Value row, Value column)> visit) {
  int64_t perRow = g.schedule.columns / lanes;
  auto at = [&](Value index) {
    visit(k.div(index, perRow), k.mul(k.rem(index, perRow), lanes));
  };
  Value thread = k.threadIdX();
  if (groups() == g.threads()) {
    at(thread);
  } else if (groups() < g.threads()) {
    k.ifThen(k.lessThan(thread, groups()), [&] { at(thread); });
  } else {
    k.forLoop(thread, k.i32(groups()), g.threads(), at);
  }
}

Value SkinnyReduction::addWarps(Value row, Value column) {
  Type f32 = k.b.getF32Type();
  Value at = k.add(k.mul(row, g.partialPitch()), column);
  Value pointer = k.advance(memory.shared, at, f32), sum;
  for (int64_t warp = 0; warp != g.schedule.warps; ++warp) {
    Value part = k.loadAligned(
        laneType(), k.advance(pointer, warp * g.partialBytes() / 4, f32));
    sum = sum ? Value(arith::AddFOp::create(k.b, k.loc, sum, part)) : part;
  }
  return sum;
}

Value SkinnyReduction::partAddress(Value tile, Value part, Value row,
                                   Value column) {
  // [tile][part][row][column]
  Value index = k.add(k.mul(tile, g.schedule.split), part);
  index = k.add(k.mul(index, g.gemm.m), row);
  index = arith::ExtUIOp::create(k.b, k.loc, k.b.getI64Type(), index);
  index = k.mul(index, g.schedule.columns);
  Value wide = arith::ExtUIOp::create(k.b, k.loc, k.b.getI64Type(), column);
  return k.advance(memory.workspace, k.add(index, wide), k.b.getF32Type());
}

Value SkinnyReduction::addParts(Value tile, Value row, Value column) {
  Value first = partAddress(tile, k.i32(0), row, column), sum;
  for (int64_t part = 0; part != g.schedule.split; ++part) {
    Value pointer = k.advance(first, part * g.gemm.m * g.schedule.columns,
                              k.b.getF32Type());
    Value value = k.loadAligned(laneType(), pointer);
    sum = sum ? Value(arith::AddFOp::create(k.b, k.loc, sum, value)) : value;
  }
  return sum;
}

void SkinnyReduction::prefetch(Value tile) {
  if (!isPrefetched()) {
    return;
  }
  // Threads without a group load what the last one does.
  int64_t perRow = g.schedule.columns / lanes;
  Value thread = k.min(k.threadIdX(), k.i32(groups() - 1));
  Value n = k.add(k.mul(tile, g.schedule.columns),
                  k.mul(k.rem(thread, perRow), lanes));
  n = k.min(n, k.i32(g.gemm.n - lanes));
  epilogue.prefetch({k.div(thread, perRow), n, lanes});
}

void SkinnyReduction::finish(Value tile, Value row, Value column, Value sum) {
  Value n = k.add(k.mul(tile, g.schedule.columns), column);
  auto store = [&] {
    if (isPrefetched()) {
      epilogue.finish(sum);
    } else {
      epilogue.emit({row, n, lanes}, sum);
    }
  };
  if (g.gemm.n % g.schedule.columns == 0) {
    store();
  } else {
    k.ifThen(k.lessThan(n, g.gemm.n), store);
  }
}

Value SkinnyReduction::isLastBlock(Value tile) {
  Type i32 = k.b.getI32Type();
  Value flag =
      k.advance(memory.shared, g.schedule.warps * g.partialBytes() / 4, i32);
  return emitIsLastBlock(k, k.advance(memory.counters, tile, i32),
                         g.schedule.split, flag);
}

Value SkinnyReduction::blockSums(Value part, Value row, Value column) {
  Value at = k.add(k.mul(k.add(k.mul(part, g.gemm.m), row), g.schedule.columns),
                   column);
  Value sums = k.advance(memory.shared, g.blockSumsOffset(), k.b.getI8Type());
  return k.advance(sums, at, k.b.getF32Type());
}

void SkinnyReduction::emitCluster(Value tile, Value part) {
  Value first = k.i32(0);
  k.awaitCluster(); // for joinCluster() of all
  forEachGroup([&](Value row, Value column) {
    k.storeAligned(addWarps(row, column),
                   k.ofClusterBlock(blockSums(part, row, column), first));
  });
  k.arriveAtCluster();
  Value isFirst =
      arith::CmpIOp::create(k.b, k.loc, arith::CmpIPredicate::eq, part, first);
  // The others end: nobody reads their memory.
  k.ifThen(isFirst, [&] {
    k.awaitCluster();
    forEachGroup([&](Value row, Value column) {
      Value sum;
      for (int64_t block = 0; block != g.schedule.split; ++block) {
        Value value =
            k.loadAligned(laneType(), blockSums(k.i32(block), row, column));
        sum =
            sum ? Value(arith::AddFOp::create(k.b, k.loc, sum, value)) : value;
      }
      finish(tile, row, column, sum);
    });
  });
}

void SkinnyReduction::emit(Value tile, Value part) {
  if (g.schedule.clustered) {
    return emitCluster(tile, part);
  }
  if (g.schedule.split == 1) {
    forEachGroup([&](Value row, Value column) {
      finish(tile, row, column, addWarps(row, column));
    });
    return;
  }
  forEachGroup([&](Value row, Value column) {
    k.storeAligned(addWarps(row, column), partAddress(tile, part, row, column));
  });
  k.ifThen(isLastBlock(tile), [&] {
    forEachGroup([&](Value row, Value column) {
      finish(tile, row, column, addParts(tile, row, column));
    });
  });
}

} // namespace minic::cuda
