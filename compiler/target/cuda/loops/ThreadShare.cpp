// SPDX-License-Identifier: Apache-2.0
//
// A butterfly gives every thread the whole state, so that what follows needs no
// branch.

#include "compiler/target/cuda/loops/ThreadShare.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace minic::cuda {

constexpr int64_t kWarp = 32;
/// Of the state of one warp in shared memory: slots for any type.
constexpr int64_t kSlotBytes = 8, kSlots = 4;

int64_t ThreadShare::sharedBytes(int64_t count, int64_t threads) {
  return count > kWarp ? threads / kWarp * kSlots * kSlotBytes : 0;
}

static Value widen(CudaKernelBuilder &k, Value value) {
  return arith::ExtUIOp::create(k.b, k.loc, k.b.getI64Type(), value);
}

static Value isZero(CudaKernelBuilder &k, Value value) {
  return arith::CmpIOp::create(k.b, k.loc, arith::CmpIPredicate::eq, value,
                               k.integer(value.getType(), 0));
}

/// The thread's number in its share, in a way that hides from the assembler
/// that it has 32 bits: the upper half is the block's y, which is always 0.
///
/// ptxas 13.0 makes one IMAD.HI with a carry of a row, the upper half of a
/// product, less a number of 32 bits that was widened, and the carry is wrong
/// where that number is 0: in cumsum's `row - thread`, so the first thread's
/// terms were left out. With -O0 they are not.
static Value opaqueIndex(CudaKernelBuilder &k, int64_t count) {
  Value upper =
      arith::ShLIOp::create(k.b, k.loc, widen(k, k.blockIdY()), k.i64(32));
  return arith::OrIOp::create(k.b, k.loc, widen(k, k.rem(k.threadIdX(), count)),
                              upper);
}

ThreadShare::ThreadShare(CudaKernelBuilder &k, ModuleOp device, int64_t count,
                         Value stores)
    : ReductionShare(opaqueIndex(k, count), count, Value()), k(k),
      device(device) {
  this->stores = arith::AndIOp::create(k.b, k.loc, isZero(k, first), stores);
}

Value ThreadShare::shuffle(Value value, int64_t distance) const {
  auto move = [&](Value word) -> Value {
    return NVVM::ShflOp::create(k.b, k.loc, word.getType(), k.i32(-1), word,
                                k.i32(distance), k.i32(kWarp - 1),
                                NVVM::ShflKind::bfly, UnitAttr());
  };
  Type type = value.getType(), i32 = k.b.getI32Type();
  if (type.isF32() || type == i32) {
    return move(value);
  }
  if (type.getIntOrFloatBitWidth() < 32) {
    Value word = arith::ExtUIOp::create(k.b, k.loc, i32, value);
    return arith::TruncIOp::create(k.b, k.loc, type, move(word));
  }
  assert(type.isInteger(64) && "expected a state of 64 bits at most");
  Value half = k.i64(32);
  Value low = arith::TruncIOp::create(k.b, k.loc, i32, value);
  Value high = arith::TruncIOp::create(
      k.b, k.loc, i32, arith::ShRUIOp::create(k.b, k.loc, value, half));
  low = widen(k, move(low));
  high = widen(k, move(high));
  return arith::OrIOp::create(k.b, k.loc, low,
                              arith::ShLIOp::create(k.b, k.loc, high, half));
}

SmallVector<Value> ThreadShare::emitMerge(graph::ReductionOpInterface reduction,
                                          ValueRange state) const {
  SmallVector<Value> merged(state);
  for (int64_t distance = 1; distance < std::min(count, kWarp); distance *= 2) {
    auto others = llvm::map_to_vector(
        merged, [&](Value each) { return shuffle(each, distance); });
    merged = reduction.emitMerge(k.b, merged, others);
  }
  return count > kWarp ? mergeWarps(reduction, merged) : merged;
}

SmallVector<Value>
ThreadShare::mergeWarps(graph::ReductionOpInterface reduction,
                        ValueRange state) const {
  assert(int64_t(state.size()) <= kSlots && "expected a state of few values");
  Value shared = dynamicShared(k.b, k.loc, device);
  Type byte = k.b.getI8Type();
  // Slot i of each warp, a warp after the other.
  auto slotOf = [&](Value warp, int64_t i) {
    Value offset = k.mul(warp, kSlots * kSlotBytes);
    return k.advance(k.advance(shared, offset, byte), i * kSlotBytes, byte);
  };
  Value thread = k.threadIdX();
  k.ifThen(isZero(k, k.rem(thread, kWarp)), [&] {
    for (auto [i, each] : llvm::enumerate(state)) {
      k.storeRaw(each, slotOf(k.div(thread, kWarp), int64_t(i)), kSlotBytes);
    }
  });
  k.barrier();
  // The element's first warp.
  Value warp = k.mul(k.div(thread, count), count / kWarp);
  SmallVector<Value> merged;
  for (int64_t w = 0; w != count / kWarp; ++w) {
    SmallVector<Value> part;
    for (auto [i, each] : llvm::enumerate(state)) {
      part.push_back(k.loadRaw(each.getType(),
                               slotOf(k.add(warp, w), int64_t(i)), kSlotBytes));
    }
    merged = merged.empty() ? part : reduction.emitMerge(k.b, merged, part);
  }
  return merged;
}

} // namespace minic::cuda
