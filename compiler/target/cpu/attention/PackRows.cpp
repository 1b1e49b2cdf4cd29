// SPDX-License-Identifier: Apache-2.0
//
// Neighbours are loaded as vectors and transposed in registers; other elements
// one by one.

#include "compiler/target/cpu/attention/PackRows.h"

#include "compiler/target/cpu/Interleave.h"

#include "mlir/IR/Matchers.h"

#include <cmath>

using namespace mlir;

namespace minic::cpu {

/// What is kept of a loaded value or vector.
static Value toF32(TileCode &code, Value value, Type storage) {
  if (!storage.isInteger(1)) {
    return value;
  }
  MathArithmetic m{code.k.b, code.k.loc, value.getType()};
  return m.select(value, m.constant(m.f32(), 0),
                  m.constant(m.f32(), -HUGE_VAL));
}

/// The lanes that are there of `count` elements from `first` on; null for all.
static Value maskFrom(TileCode &code, Value count, Value first) {
  APInt known;
  bool isWhole = matchPattern(count, m_ConstantInt(&known)) &&
                 known.getSExtValue() % code.shape.lanes == 0;
  return isWhole ? Value()
                 : code.k.tailMask(code.k.sub(count, first), code.shape.lanes);
}

void emitColumns(TileCode &code, ArrayRef<Value> rows, RowElements elements,
                 Value to) {
  KernelBuilder &k = code.k;
  int64_t lanes = code.shape.lanes;
  Type storage = elements.storage;
  if (elements.stride != 1) {
    k.forLoop(k.i64(0), elements.count, 1, [&](Value column) {
      Value column0 = k.advance(to, k.mul(column, code.shape.rows), code.f32());
      Value offset = k.mul(column, elements.stride);
      for (auto [i, row] : llvm::enumerate(rows)) {
        Value value = k.loadScalar(k.advance(row, offset, storage), storage);
        k.storeRaw(toF32(code, value, storage),
                   k.advance(column0, int64_t(i), code.f32()), 4);
      }
    });
    return;
  }
  k.forLoop(k.i64(0), elements.count, lanes, [&](Value first) {
    Value mask = maskFrom(code, elements.count, first);
    SmallVector<Value> vectors;
    for (Value row : rows) {
      Value vector =
          k.loadVector(k.advance(row, first, storage), storage, lanes, mask);
      vectors.push_back(toF32(code, vector, storage));
    }
    Value column0 = k.advance(to, k.mul(first, code.shape.rows), code.f32());
    for (auto [i, column] : llvm::enumerate(transpose(k, std::move(vectors)))) {
      code.store(column, column0, int64_t(i) * code.shape.rows);
    }
  });
}

void emitRowCopies(TileCode &code, Value from, int64_t rowStride,
                   RowElements elements, Value rows, Value to,
                   int64_t toStride) {
  KernelBuilder &k = code.k;
  int64_t lanes = code.shape.lanes;
  Type storage = elements.storage;
  k.forLoop(k.i64(0), rows, 1, [&](Value row) {
    Value source = k.advance(from, k.mul(row, rowStride), storage);
    Value target = k.advance(to, k.mul(row, toStride), code.f32());
    if (elements.stride == 1) {
      k.forLoop(k.i64(0), k.i64(toStride), lanes, [&](Value first) {
        Value vector =
            k.loadVector(k.advance(source, first, storage), storage, lanes,
                         maskFrom(code, elements.count, first));
        code.store(toF32(code, vector, storage),
                   k.advance(target, first, code.f32()), 0);
      });
      return;
    }
    k.forLoop(k.i64(0), elements.count, 1, [&](Value i) {
      Value value = k.loadScalar(
          k.advance(source, k.mul(i, elements.stride), storage), storage);
      k.storeRaw(toF32(code, value, storage), k.advance(target, i, code.f32()),
                 4);
    });
    k.forLoop(elements.count, k.i64(toStride), 1, [&](Value i) {
      Value zero =
          arith::ConstantOp::create(k.b, k.loc, k.b.getF32FloatAttr(0));
      k.storeRaw(zero, k.advance(target, i, code.f32()), 4);
    });
  });
}

} // namespace minic::cpu
