// SPDX-License-Identifier: Apache-2.0
//
// For a few queries: products along a key, 16 keys at a time, whose lanes are
// then summed all at once. Each key is loaded once for each query, from the
// first cache.

#include "compiler/target/cpu/Interleave.h"
#include "compiler/target/cpu/attention/Kernels.h"
#include "compiler/target/cpu/attention/ScoreFinish.h"

#include "llvm/ADT/STLExtras.h"

#include <cmath>

using namespace mlir;

namespace minic::cpu {

namespace {

class DotEmitter : TileCode {
public:
  DotEmitter(OpBuilder &builder, Location loc, const AttentionFusion &body,
             const TileShape &shape, int64_t keys, LLVM::LLVMFuncOp function)
      : TileCode(builder, loc, body, shape), keys(keys),
        storage(shape.copiesKeys ? f32() : body.key.storage),
        scratch(function.getArgument(0)), key(function.getArgument(1)),
        number(function.getArgument(2)), column(function.getArgument(3)) {}

  void emit() {
    k.forLoop(k.i64(0), k.i64(shape.rows), 1, [&](Value row) { emitRow(row); });
  }

private:
  /// Line `row` of an array of lines.
  Value line(int64_t array, Value row, int64_t elements) {
    Value pointer = k.advance(scratch, array, f32());
    return k.advance(pointer, k.mul(row, elements), f32());
  }

  void emitRow(Value row) {
    query = line(shape.at.query, row, shape.keyColumns);
    // Keys that are a power of two apart: their sums are merged first.
    int64_t atOnce = shape.isWide ? 8 : 4, apart = shape.lanes / atOnce;
    SmallVector<Value> sums;
    for (int64_t first = 0; first != apart; ++first) {
      sums.push_back(sumLanes(contract(first, apart)));
    }
    Value score = finish(sumLanes(std::move(sums)), row);
    Value scores = line(shape.at.scores, row, shape.blockKeys);
    store(score, k.advance(scores, column, f32()), 0);
    Value greatest = line(shape.at.laneGreatest, row, shape.lanes);
    store(greater(score, load(greatest, 0)), greatest, 0);
  }

  /// Lane by lane, the products of the query and keys first, first + apart...
  SmallVector<Value> contract(int64_t first, int64_t apart) {
    SmallVector<int64_t> own;
    for (int64_t i = first; i < keys; i += apart) {
      own.push_back(i);
    }
    SmallVector<Value> sums(own.size(), constants(0));
    int64_t whole = body.depth / shape.lanes * shape.lanes;
    auto step = [&](Value d, Value mask, ValueRange before) {
      Value part = load(k.advance(query, d, f32()), 0);
      Value from = k.advance(key, d, storage);
      SmallVector<Value> next;
      for (auto [i, sum] : llvm::zip_equal(own, before)) {
        Value pointer =
            k.advance(from, i * getKeyStrides(body, shape).row, storage);
        next.push_back(
            fma(k.loadVector(pointer, storage, shape.lanes, mask), part, sum));
      }
      return next;
    };
    if (whole > 0 && !own.empty()) {
      sums = k.forLoop(
          k.i64(0), k.i64(whole), shape.lanes, sums,
          [&](Value d, ValueRange before) { return step(d, Value(), before); });
    }
    if (whole != body.depth) {
      Value mask = k.tailMask(k.i64(body.depth - whole), shape.lanes);
      sums = step(k.i64(whole), shape.copiesKeys ? Value() : mask, sums);
    }
    sums.resize(size_t(shape.lanes / apart), constants(0));
    return sums;
  }

  /// The sums of all lanes of some vectors as one: those of the first in lane
  /// 0, and so on round all lanes, if vectors are merged that are half of them
  /// apart.
  Value sumLanes(SmallVector<Value> vectors) {
    while (vectors.size() > 1) {
      size_t half = vectors.size() / 2;
      for (size_t i = 0; i != half; ++i) {
        Value low = interleaveHalf(k, vectors[i], vectors[i + half], false);
        Value high = interleaveHalf(k, vectors[i], vectors[i + half], true);
        vectors[i] = math().add(low, high);
      }
      vectors.truncate(half);
    }
    return vectors.front();
  }

  /// Scale, cap and masks; -infinity for keys behind the last.
  Value finish(Value sum, Value row) {
    MathArithmetic m = math();
    Value score = emitScaled(*this, sum);
    if (body.mask) {
      Value mask = line(shape.at.mask, row, shape.blockKeys);
      score = emitMasked(*this, score, load(k.advance(mask, column, f32()), 0));
    }
    auto lanes = llvm::to_vector(llvm::seq<int32_t>(0, int32_t(shape.lanes)));
    Value lane = arith::ConstantOp::create(
        k.b, k.loc,
        DenseElementsAttr::get(cast<ShapedType>(m.i32()),
                               ArrayRef<int32_t>(lanes)));
    if (keys < shape.lanes) {
      Value isThere =
          arith::CmpIOp::create(k.b, k.loc, arith::CmpIPredicate::slt, lane,
                                m.integer(m.i32(), keys));
      score = m.select(isThere, score, constants(-HUGE_VAL));
    }
    if (!leavesOutByNumber(body)) {
      return score;
    }
    Value first = arith::TruncIOp::create(k.b, k.loc, k.b.getI32Type(), number);
    Value own =
        arith::AddIOp::create(k.b, k.loc, lane, k.splat(first, shape.lanes));
    auto bound = [&](int64_t array) {
      return k.splat(k.loadRaw(k.b.getI32Type(), line(array, row, 1), 4),
                     shape.lanes);
    };
    return emitLeftOut(*this, score, own,
                       body.window ? bound(shape.at.first) : Value(),
                       bound(shape.at.end));
  }

  const int64_t keys;
  const Type storage;
  Value scratch, key, number, column, query;
};

} // namespace

LLVM::LLVMFuncOp emitDotKernel(OpBuilder &builder, Location loc,
                               ModuleOp device, StringRef name,
                               const AttentionFusion &body,
                               const TileShape &shape, int64_t keys) {
  OpBuilder::InsertionGuard guard(builder);
  Type pointer = LLVM::LLVMPointerType::get(builder.getContext());
  Type i64 = builder.getI64Type();
  LLVM::LLVMFuncOp function = createInternalFunction(
      builder, loc, device, name, {pointer, pointer, i64, i64, pointer});
  DotEmitter(builder, loc, body, shape, keys, function).emit();
  return function;
}

} // namespace minic::cpu
