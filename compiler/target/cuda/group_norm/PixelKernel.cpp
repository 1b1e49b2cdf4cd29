// SPDX-License-Identifier: Apache-2.0
//
// Indices have 32 bits: GroupNormGeometry refuses larger images.

#include "compiler/target/cuda/group_norm/PixelKernel.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace minic::cuda {

PixelKernel::PixelKernel(CudaKernelBuilder &k, const GroupNormFusion &norm,
                         const GroupNormGeometry &geometry,
                         const PixelPointers &pointers)
    : k(k), norm(norm), g(geometry), p(pointers) {
  Value block = k.blockIdX(), thread = k.threadIdX();
  image = k.div(block, g.schedule.blocks);
  chunk = k.rem(block, g.schedule.blocks);
  channel = k.mul(k.rem(thread, g.vectors()), g.vector);
  row = k.div(thread, g.vectors());
  if (g.busyThreads() != g.threads()) {
    // Others read what the last row reads, and store nothing.
    isBusy = k.lessThan(thread, g.busyThreads());
    row = k.min(row, k.i32(g.schedule.pixels - 1));
  }
  Value before = k.mul(chunk, g.chunk());
  first = k.add(k.mul(image, g.pixels), before);
  end = g.areChunksEqual()
            ? k.i32(g.chunk())
            : k.min(k.sub(k.i32(g.pixels), before), k.i32(g.chunk()));
  shared = k.advance(p.shared, g.turnedBytes(), k.b.getI8Type());
}

Value PixelKernel::loadChannels(Value pointer, Type storage) {
  return k.loadAligned(
      VectorType::get(g.vector, KernelBuilder::memoryType(storage)), pointer);
}

Value PixelKernel::loadPixel(Value pixel) {
  if (g.readsPlanes) {
    return loadChannels(turnedAt(pixel, k.div(channel, g.vector)), norm.dtype);
  }
  Value at = k.add(k.mul(k.add(first, pixel), g.channels), channel);
  return loadChannels(k.advance(operand(norm.input), at, norm.dtype),
                      norm.dtype);
}

void PixelKernel::forGroups(
    llvm::function_ref<void(Value group, Value own, Value isFirst)> body) {
  int64_t threads = g.groupThreads(), atATime = g.threads() / threads;
  auto turns = int64_t(llvm::divideCeil(g.groups, atATime));
  Value own = k.rem(k.threadIdX(), threads);
  Value mine = k.div(k.threadIdX(), threads);
  auto turn = [&](Value before) {
    Value group = k.add(mine, before);
    Value isFirst = arith::AndIOp::create(
        k.b, k.loc, k.lessThan(group, g.groups), k.equal(own, 0));
    body(k.min(group, k.i32(g.groups - 1)), own, isFirst);
  };
  if (turns == 1) {
    turn(k.i32(0));
  } else {
    k.forLoop(k.i32(0), k.i32(turns * atATime), atATime, turn);
  }
}

Value PixelKernel::partOf(Value group, Value chunk) {
  Value row = k.add(k.mul(image, g.groups), group);
  return k.add(k.mul(row, g.schedule.blocks), chunk);
}

Value PixelKernel::floatAt(Value pointer, Value index) {
  Type f32 = k.b.getF32Type();
  return k.loadAligned(f32, k.advance(pointer, index, f32));
}

std::pair<Value, Value> PixelKernel::loadPair(Value pointer, Value index) {
  Type f32 = k.b.getF32Type();
  Value pair = k.loadAligned(VectorType::get(2, f32),
                             k.advance(pointer, k.mul(index, 2), f32));
  return {vector::ExtractOp::create(k.b, k.loc, pair, int64_t(0)),
          vector::ExtractOp::create(k.b, k.loc, pair, int64_t(1))};
}

void PixelKernel::storePair(Value lhs, Value rhs, Value pointer, Value index) {
  Type f32 = k.b.getF32Type();
  Value pair = vector::FromElementsOp::create(
      k.b, k.loc, VectorType::get(2, f32), ValueRange{lhs, rhs});
  k.storeAligned(pair, k.advance(pointer, k.mul(index, 2), f32));
}

void PixelKernel::ifTrue(Value condition, llvm::function_ref<void()> then) {
  condition ? k.ifThen(condition, then) : then();
}

} // namespace minic::cuda
