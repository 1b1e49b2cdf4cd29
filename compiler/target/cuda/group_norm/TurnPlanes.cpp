// SPDX-License-Identifier: Apache-2.0
//
// A chunk of [channels, pixels] becomes [pixels, channels] in shared memory. A
// thread reads 16 bytes of one plane, or of two where two channels fill a word,
// and stores words of successive pixels.
//
// Neighbours have successive vectors of pixels. So that their words lie in
// different banks, the 16 bytes of a pixel are permuted within lines of 128, by
// the number of its vector.

#include "compiler/target/cuda/group_norm/PixelKernel.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace minic::cuda {

/// Vectors of planes whose loads are on their way together.
static constexpr int64_t kTurnsAtOnce = 4;

Value PixelKernel::turnedAt(Value pixel, Value unit) {
  // As many neighbours as there are vectors share the eight places of a line.
  auto vectors = llvm::bit_ceil(uint64_t(g.chunk() / g.vector));
  auto apart = int64_t(8 / std::min<uint64_t>(vectors, 8));
  Value key = k.mul(k.div(pixel, g.vector), apart);
  key = arith::AndIOp::create(k.b, k.loc, key, k.i32(7));
  Value place = arith::XOrIOp::create(k.b, k.loc, unit, key);
  Value bytes =
      k.add(k.mul(pixel, g.turnedRowBytes()), k.mul(place, int64_t(16)));
  return k.advance(p.shared, bytes, k.b.getI8Type());
}

void PixelKernel::turnPlanes() {
  if (!g.readsPlanes) {
    return;
  }
  int64_t elementBytes = 16 / g.vector, inWord = 4 / elementBytes;
  int64_t vectors = g.chunk() / g.vector;
  int64_t tasks = vectors * g.channels / inWord;
  auto steps = int64_t(llvm::divideCeil(tasks, g.threads()));
  int64_t atOnce = std::min(steps, kTurnsAtOnce);
  bool isExact = tasks % (atOnce * g.threads()) == 0;
  Type memory = KernelBuilder::memoryType(norm.dtype);
  auto vectorType = VectorType::get(g.vector, memory);
  Value start =
      k.add(k.mul(image, g.channels * g.pixels), k.mul(chunk, g.chunk()));

  struct Task {
    Value isInside; // null: always
    Value pixel, channel;
    SmallVector<Value> planes;
  };
  auto load = [&](Value number) {
    Task task;
    if (!isExact) {
      task.isInside = k.lessThan(number, tasks);
      number = k.min(number, k.i32(tasks - 1));
    }
    task.pixel = k.mul(k.rem(number, vectors), g.vector);
    task.channel = k.mul(k.div(number, vectors), inWord);
    Value from = task.pixel;
    if (!g.areChunksEqual()) {
      Value isInside = k.lessThan(from, end);
      task.isInside =
          task.isInside
              ? arith::AndIOp::create(k.b, k.loc, task.isInside, isInside)
                    .getResult()
              : isInside;
      from = k.min(from, k.sub(end, k.i32(g.vector)));
    }
    for (int64_t i = 0; i != inWord; ++i) {
      Value at =
          k.add(k.add(start, from), k.mul(k.add(task.channel, i), g.pixels));
      task.planes.push_back(k.loadAligned(
          vectorType, k.advance(operand(norm.input), at, norm.dtype)));
    }
    return task;
  };
  auto store = [&](const Task &task) {
    Value unit = k.div(task.channel, g.vector);
    Value inUnit = k.mul(k.rem(task.channel, g.vector), elementBytes);
    for (int64_t i = 0; i != g.vector; ++i) {
      SmallVector<Value> word;
      for (Value plane : task.planes) {
        word.push_back(vector::ExtractOp::create(k.b, k.loc, plane, i));
      }
      Value place = turnedAt(k.add(task.pixel, i), unit);
      k.storeAligned(vector::FromElementsOp::create(
                         k.b, k.loc, VectorType::get(inWord, memory), word),
                     k.advance(place, inUnit, k.b.getI8Type()));
    }
  };
  auto some = [&](Value before) {
    SmallVector<Task> loaded;
    for (int64_t i = 0; i != atOnce; ++i) {
      loaded.push_back(load(k.add(before, i * g.threads())));
    }
    for (const Task &task : loaded) {
      ifTrue(task.isInside, [&] { store(task); });
    }
  };
  if (steps == atOnce) {
    some(k.threadIdX());
  } else {
    k.forLoop(k.i32(0), k.i32(steps * g.threads()), atOnce * g.threads(),
              [&](Value before) { some(k.add(k.threadIdX(), before)); });
  }
  k.barrier();
}

} // namespace minic::cuda
