// SPDX-License-Identifier: Apache-2.0
//
// Lanes are elements of a value; weights of a few queries are broadcast.

#include "compiler/target/cpu/attention/Kernels.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace minic::cpu {

RowStrides getValueStrides(const AttentionFusion &body,
                           const TileShape &shape) {
  return shape.copiesValues ? RowStrides{shape.sumColumns, 1}
                            : RowStrides{body.value.strides[2], 1};
}

namespace {

/// Vectors of one value.
class ValueRow {
public:
  ValueRow(TileCode &code) : code(code) {}

  int64_t vectors() const { return code.shape.sumColumns / code.shape.lanes; }
  Type storage() const {
    return code.shape.copiesValues ? code.f32() : code.body.value.storage;
  }
  Value load(Value row, int64_t vector) {
    KernelBuilder &k = code.k;
    int64_t first = vector * code.shape.lanes;
    int64_t left = code.body.valueDepth - first;
    Value mask;
    if (!code.shape.copiesValues && left < code.shape.lanes) {
      mask = k.tailMask(k.i64(left), code.shape.lanes);
    }
    return k.loadVector(k.advance(row, first, storage()), storage(),
                        code.shape.lanes, mask);
  }

private:
  TileCode &code;
};

class ValueEmitter : TileCode {
public:
  ValueEmitter(OpBuilder &builder, Location loc, const AttentionFusion &body,
               const TileShape &shape, bool skipsZeros,
               LLVM::LLVMFuncOp function)
      : TileCode(builder, loc, body, shape), skipsZeros(skipsZeros),
        values(*this), scratch(function.getArgument(0)),
        value(function.getArgument(1)), count(function.getArgument(2)) {}

  void emit() {
    // Sums so that they and a value fit in the registers.
    int64_t registers = shape.isWide ? 24 : 6;
    int64_t most = !shape.isWide ? 1 : shape.rows <= 2 ? 8 : 4;
    auto chunks = int64_t(llvm::divideCeil(values.vectors(), most));
    auto width = int64_t(llvm::divideCeil(values.vectors(), chunks));
    int64_t height = skipsZeros ? 1 : std::min(shape.rows, registers / width);
    int64_t whole = shape.rows / height * height;
    k.forLoop(k.i64(0), k.i64(whole), height,
              [&](Value row) { emitRows(row, height, width); });
    if (whole != shape.rows) {
      emitRows(k.i64(whole), shape.rows - whole, width);
    }
  }

private:
  void emitRows(Value row, int64_t height, int64_t width) {
    Value weights = k.advance(scratch, shape.at.scores, f32());
    weights = k.advance(weights, k.mul(row, shape.scoreStrideOfRow()), f32());
    Value factors = k.advance(scratch, shape.at.factor, f32());
    factors = k.advance(factors, row, f32());
    Value sums = k.advance(scratch, shape.at.sums, f32());
    sums = k.advance(sums, k.mul(row, shape.sumColumns), f32());
    for (int64_t v = 0; v < values.vectors(); v += width) {
      emitTile(weights, factors, sums, height, v,
               std::min(width, values.vectors() - v));
    }
  }

  void emitTile(Value weights, Value factors, Value sums, int64_t height,
                int64_t firstVector, int64_t width) {
    auto place = [&](int64_t i, int64_t v) {
      return i * shape.sumColumns + (firstVector + v) * shape.lanes;
    };
    SmallVector<Value> carried = {weights, value};
    for (int64_t i = 0; i != height; ++i) {
      Value factor = loadSplat(factors, i);
      for (int64_t v = 0; v != width; ++v) {
        carried.push_back(math().mul(load(sums, place(i, v)), factor));
      }
    }
    int64_t stride = getValueStrides(body, shape).row;
    carried =
        k.forLoop(k.i64(0), count, 1, carried, [&](Value, ValueRange before) {
          SmallVector<Value> next(before);
          step(before[0], before[1], height, firstVector, width,
               MutableArrayRef(next).drop_front(2));
          next[0] = k.advance(before[0], shape.scoreStrideOfKey(), f32());
          next[1] = k.advance(before[1], stride, values.storage());
          return next;
        });
    for (int64_t i = 0; i != height; ++i) {
      for (int64_t v = 0; v != width; ++v) {
        store(carried[2 + i * width + v], sums, place(i, v));
      }
    }
  }

  /// Adds one key's value, weighted.
  void step(Value weights, Value row, int64_t height, int64_t firstVector,
            int64_t width, MutableArrayRef<Value> sums) {
    MathArithmetic m = math();
    SmallVector<Value> vectors;
    for (int64_t v = 0; v != width; ++v) {
      vectors.push_back(values.load(row, firstVector + v));
    }
    for (int64_t i = 0; i != height; ++i) {
      Value weight = loadSplat(weights, i * shape.scoreStrideOfRow());
      Value isUsed;
      if (skipsZeros) {
        isUsed = m.compare(arith::CmpFPredicate::UNE, weight, 0);
      }
      for (int64_t v = 0; v != width; ++v) {
        Value &sum = sums[i * width + v];
        Value next = fma(weight, vectors[v], sum);
        sum = isUsed ? m.select(isUsed, next, sum) : next;
      }
    }
  }

  const bool skipsZeros;
  ValueRow values;
  Value scratch, value, count;
};

} // namespace

LLVM::LLVMFuncOp emitValueKernel(OpBuilder &builder, Location loc,
                                 ModuleOp device, StringRef name,
                                 const AttentionFusion &body,
                                 const TileShape &shape, bool skipsZeros) {
  OpBuilder::InsertionGuard guard(builder);
  Type pointer = LLVM::LLVMPointerType::get(builder.getContext());
  LLVM::LLVMFuncOp function = createInternalFunction(
      builder, loc, device, name, {pointer, pointer, builder.getI64Type()});
  ValueEmitter(builder, loc, body, shape, skipsZeros, function).emit();
  return function;
}

Value emitHasNotFinite(TileCode &code, Value value, Value count) {
  KernelBuilder &k = code.k;
  MathArithmetic m = code.math();
  ValueRow values(code);
  Value zero = code.constants(0);
  // Zero times what is not finite is NaN. Two sums, for their latency.
  SmallVector<Value> sums = k.forLoop(
      k.i64(0), count, 1, {zero, zero}, [&](Value key, ValueRange before) {
        SmallVector<Value> next(before);
        Value row = k.advance(
            value, k.mul(key, getValueStrides(code.body, code.shape).row),
            values.storage());
        for (int64_t v = 0; v != values.vectors(); ++v) {
          next[v % 2] = code.fma(values.load(row, v), zero, next[v % 2]);
        }
        return next;
      });
  Value sum = vector::ReductionOp::create(
      k.b, k.loc, vector::CombiningKind::ADD, m.add(sums[0], sums[1]),
      arith::FastMathFlags::reassoc);
  return arith::CmpFOp::create(k.b, k.loc, arith::CmpFPredicate::UNO, sum, sum);
}

} // namespace minic::cpu
