// SPDX-License-Identifier: Apache-2.0
//
// Lanes are queries: an element of a key is broadcast and multiplied with the
// same element of all queries, so that keys need no transposing, and the
// greatest score of each query no shuffles.

#include "compiler/target/cpu/attention/Kernels.h"
#include "compiler/target/cpu/attention/ScoreFinish.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace minic::cpu {

RowStrides getKeyStrides(const AttentionFusion &body, const TileShape &shape) {
  return shape.copiesKeys
             ? RowStrides{shape.keyColumns, 1}
             : RowStrides{body.key.strides[2], body.key.strides[3]};
}

namespace {

class ScoreEmitter : TileCode {
public:
  ScoreEmitter(OpBuilder &builder, Location loc, const AttentionFusion &body,
               const TileShape &shape, int64_t keys, LLVM::LLVMFuncOp function)
      : TileCode(builder, loc, body, shape), keys(keys),
        vectors(shape.vectorsAtOnce()), strides(getKeyStrides(body, shape)),
        scratch(function.getArgument(0)), key(function.getArgument(1)),
        number(function.getArgument(2)), column(function.getArgument(3)),
        mask(function.getArgument(4)) {}

  void emit() {
    if (vectors == shape.vectors) {
      emitVectors();
      return;
    }
    // Whatever lies in a line of rows moves by as many lanes.
    Value all = scratch;
    k.forLoop(k.i64(0), k.i64(shape.vectors * shape.lanes),
              vectors * shape.lanes, [&](Value lane) {
                scratch = k.advance(all, lane, f32());
                emitVectors();
              });
  }

private:
  void emitVectors() {
    SmallVector<Value> sums = contract();
    Value scores = k.advance(scratch, shape.at.scores, f32());
    scores = k.advance(scores, k.mul(column, shape.rows), f32());
    packedMask = k.advance(scratch, shape.at.mask, f32());
    packedMask = k.advance(packedMask, k.mul(column, shape.rows), f32());
    for (int64_t v = 0; v != vectors; ++v) {
      int64_t lane = v * shape.lanes;
      Value greatest = load(scratch, shape.at.next + lane);
      for (int64_t i = 0; i != keys; ++i) {
        Value score = emitScore(*this, sums[i * vectors + v], scratch,
                                k.add(number, i), maskOf(i, v), lane);
        store(score, scores, i * shape.rows + lane);
        greatest = greater(score, greatest);
      }
      store(greatest, scratch, shape.at.next + lane);
    }
  }

  /// Adds the products of element number `d` from `query` and `from` on.
  void step(Value query, Value from, int64_t d, MutableArrayRef<Value> sums) {
    SmallVector<Value> queries;
    for (int64_t v = 0; v != vectors; ++v) {
      queries.push_back(load(query, d * shape.rows + v * shape.lanes));
    }
    for (int64_t i = 0; i != keys; ++i) {
      Value element = loadSplat(from, i * strides.row + d * strides.element);
      for (int64_t v = 0; v != vectors; ++v) {
        Value &sum = sums[i * vectors + v];
        sum = fma(element, queries[v], sum);
      }
    }
  }

  SmallVector<Value> contract() {
    constexpr int64_t kUnroll = 4;
    SmallVector<Value> carried = {k.advance(scratch, shape.at.query, f32()),
                                  key};
    carried.append(size_t(keys * vectors), constants(0));
    int64_t iterations = body.depth / kUnroll;
    if (iterations > 0) {
      carried = k.forLoop(
          k.i64(0), k.i64(iterations), 1, carried,
          [&](Value, ValueRange values) {
            SmallVector<Value> next(values);
            for (int64_t d = 0; d != kUnroll; ++d) {
              step(values[0], values[1], d,
                   MutableArrayRef(next).drop_front(2));
            }
            next[0] = k.advance(values[0], kUnroll * shape.rows, f32());
            next[1] = k.advance(values[1], kUnroll * strides.element, f32());
            return next;
          });
    }
    SmallVector<Value> sums(ArrayRef(carried).drop_front(2));
    for (int64_t d = 0; d != body.depth % kUnroll; ++d) {
      step(carried[0], carried[1], d, sums);
    }
    return sums;
  }

  Value maskOf(int64_t i, int64_t v) {
    if (!body.mask) {
      return {};
    }
    if (getMaskKind(body) == MaskKind::PerRow) {
      return load(packedMask, i * shape.rows + v * shape.lanes);
    }
    Type storage = body.mask->storage;
    Value pointer = k.advance(mask, i * body.mask->strides[3], storage);
    return k.splat(k.loadScalar(pointer, storage), shape.lanes);
  }

  const int64_t keys;
  const int64_t vectors; // at a time
  const RowStrides strides;
  Value scratch, key, number, column, mask, packedMask;
};

} // namespace

LLVM::LLVMFuncOp emitScoreKernel(OpBuilder &builder, Location loc,
                                 ModuleOp device, StringRef name,
                                 const AttentionFusion &body,
                                 const TileShape &shape, int64_t keys) {
  OpBuilder::InsertionGuard guard(builder);
  Type pointer = LLVM::LLVMPointerType::get(builder.getContext());
  Type i64 = builder.getI64Type();
  LLVM::LLVMFuncOp function = createInternalFunction(
      builder, loc, device, name, {pointer, pointer, i64, i64, pointer});
  ScoreEmitter(builder, loc, body, shape, keys, function).emit();
  return function;
}

} // namespace minic::cpu
