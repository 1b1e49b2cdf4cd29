// SPDX-License-Identifier: Apache-2.0
//
// A 4x4 matrix of words is transposed in two rounds, over bits of the lane.

#include "compiler/target/cuda/attention/WideStore.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace minic::cuda {

WideStore::WideStore(CudaKernelBuilder &builder, Type storage, Value lane)
    : k(builder), storage(storage) {
  auto isSet = [&](int64_t bit) -> Value {
    return arith::CmpIOp::create(k.b, k.loc, arith::CmpIPredicate::ne,
                                 k.rem(k.div(lane, bit), 2), k.i32(0));
  };
  isOdd = isSet(1);
  isUpperHalf = isSet(2);
}

Value WideStore::pack(Value low, Value high) {
  auto pair = VectorType::get(2, k.b.getF32Type());
  Value both =
      vector::FromElementsOp::create(k.b, k.loc, pair, ValueRange{low, high});
  return LLVM::BitcastOp::create(k.b, k.loc, k.b.getI32Type(),
                                 k.toStorage(both, storage));
}

/// The upper of two threads gives its first word for the other's second.
void WideStore::exchange(Value &first, Value &second, int64_t flips,
                         Value isUpper) {
  auto choose = [&](Value whenUpper, Value otherwise) -> Value {
    return arith::SelectOp::create(k.b, k.loc, isUpper, whenUpper, otherwise);
  };
  Value got = NVVM::ShflOp::create(k.b, k.loc, k.b.getI32Type(), k.i32(-1),
                                   choose(first, second), k.i32(flips),
                                   k.i32(31), NVVM::ShflKind::bfly, UnitAttr());
  first = choose(got, first);
  second = choose(second, got);
}

Value WideStore::gather(ArrayRef<Value> pairs) {
  SmallVector<Value, 4> words;
  for (size_t i = 0; i != pairs.size(); i += 2) {
    words.push_back(pack(pairs[i], pairs[i + 1]));
  }
  exchange(words[0], words[1], 1, isOdd);
  exchange(words[2], words[3], 1, isOdd);
  exchange(words[0], words[2], 2, isUpperHalf);
  exchange(words[1], words[3], 2, isUpperHalf);
  auto four = VectorType::get(4, k.b.getI32Type());
  return vector::FromElementsOp::create(k.b, k.loc, four, words);
}

} // namespace minic::cuda
