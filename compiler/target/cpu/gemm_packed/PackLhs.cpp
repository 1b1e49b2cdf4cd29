// SPDX-License-Identifier: Apache-2.0
//
// Row-major tiles are transposed in registers, 16 words of K at a time; the
// rows of a transposed lhs already lie as they should.

#include "compiler/target/cpu/gemm_packed/PackLhs.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace minic::cpu {

namespace {

struct Packer {
  KernelBuilder k;
  const GemmGeometry &g;
  int64_t height;
  Value source, destination;

  Type wordType() const {
    return g.schedule.pairs ? Type(k.b.getI32Type()) : Type(k.b.getF32Type());
  }

  /// lhs(a, b): lanes of `a` and `b` alternating, low or high half.
  Value interleave(Value a, Value b, bool high) {
    int64_t lanes = cast<VectorType>(a.getType()).getNumElements();
    SmallVector<int64_t> lane;
    for (int64_t i = 0; i != lanes / 2; ++i) {
      int64_t from = i + (high ? lanes / 2 : 0);
      lane.append({from, from + lanes});
    }
    return vector::ShuffleOp::create(k.b, k.loc, a, b, lane);
  }

  /// 16 words of one row from word `word` on, of which `remaining` elements
  /// (null: all) exist.
  Value loadRow(int64_t row, Value word, Value remaining) {
    Type type = g.gemm.lhsType;
    Value pointer = k.advance(source, k.mul(word, g.wordElements()), type);
    pointer = k.advance(pointer, row * g.gemm.lhsStrideM, type);
    if (!g.schedule.pairs) {
      Value mask = remaining ? k.tailMask(remaining, gemmLanes) : Value();
      return k.loadVector(pointer, type, gemmLanes, mask);
    }
    auto bf16s = VectorType::get(2 * gemmLanes, type);
    Value mask = remaining ? k.tailMask(remaining, 2 * gemmLanes) : Value();
    Value elements = k.loadRawMasked(bf16s, pointer, mask);
    return vector::BitCastOp::create(
        k.b, k.loc, VectorType::get(gemmLanes, wordType()), elements);
  }

  /// Transposes 16 words of all rows from `word` on. Interleaving the lower
  /// with the upper half of the registers moves the top bit of an element's
  /// row number below its column number; once for each of the bits.
  void transpose(Value word, Value remaining) {
    SmallVector<Value> rows;
    for (int64_t i = 0; i != g.packedRows; ++i) {
      rows.push_back(i < height ? loadRow(i, word, remaining)
                                : k.zeroVector(wordType(), gemmLanes));
    }
    for (int64_t bit = g.packedRows; bit > 1; bit /= 2) {
      SmallVector<Value> next;
      for (int64_t i = 0; i != g.packedRows / 2; ++i) {
        Value low = rows[i], high = rows[i + g.packedRows / 2];
        next.push_back(interleave(low, high, false));
        next.push_back(interleave(low, high, true));
      }
      rows = next;
    }
    Value to = k.advance(destination, k.mul(word, g.packedRows), wordType());
    for (int64_t i = 0; i != g.packedRows; ++i) {
      k.storeRaw(rows[i], k.advance(to, i * gemmLanes, wordType()), 4);
    }
  }

  void packRowMajor() {
    int64_t wholeWords = g.gemm.k / (gemmLanes * g.wordElements()) * gemmLanes;
    k.forLoop(k.i64(0), k.i64(wholeWords), gemmLanes,
              [&](Value word) { transpose(word, Value()); });
    int64_t remaining = g.gemm.k - wholeWords * g.wordElements();
    if (remaining > 0) {
      transpose(k.i64(wholeWords), k.i64(remaining));
    }
  }

  /// `height` elements of row `index` of a transposed lhs, as stored.
  Value loadColumnMajor(Value index) {
    Type type = g.gemm.lhsType;
    Value pointer = k.advance(source, k.mul(index, g.gemm.lhsStrideK), type);
    auto vector = VectorType::get(g.packedRows, type);
    Value mask = height == g.packedRows
                     ? Value()
                     : k.tailMask(k.i64(height), g.packedRows);
    return k.loadRawMasked(vector, pointer, mask);
  }

  void storeWord(Value word, Value value) {
    k.storeRaw(value,
               k.advance(destination, k.mul(word, g.packedRows), wordType()),
               4);
  }

  void packColumnMajor() {
    Type type = g.gemm.lhsType;
    if (!g.schedule.pairs) {
      k.forLoop(k.i64(0), k.i64(g.kWords), 1, [&](Value word) {
        Type f32s = VectorType::get(g.packedRows, k.b.getF32Type());
        Value value = loadColumnMajor(word);
        storeWord(word, type.isF32()
                            ? value
                            : arith::ExtFOp::create(k.b, k.loc, f32s, value));
      });
      return;
    }
    auto storePair = [&](Value word, Value even, Value odd) {
      SmallVector<int64_t> lane;
      for (int64_t i = 0; i != g.packedRows; ++i) {
        lane.append({i, i + g.packedRows});
      }
      storeWord(word, vector::ShuffleOp::create(k.b, k.loc, even, odd, lane));
    };
    k.forLoop(k.i64(0), k.i64(g.gemm.k / 2), 1, [&](Value word) {
      Value index = k.mul(word, 2);
      storePair(word, loadColumnMajor(index), loadColumnMajor(k.add(index, 1)));
    });
    if (g.gemm.k % 2 != 0) {
      storePair(k.i64(g.gemm.k / 2), loadColumnMajor(k.i64(g.gemm.k - 1)),
                k.zeroVector(type, g.packedRows));
    }
  }
};

} // namespace

LLVM::LLVMFuncOp emitPackLhs(OpBuilder &builder, Location loc, ModuleOp device,
                             StringRef name, const GemmGeometry &geometry,
                             int64_t height) {
  OpBuilder::InsertionGuard guard(builder);
  Type pointer = LLVM::LLVMPointerType::get(builder.getContext());
  LLVM::LLVMFuncOp function =
      createInternalFunction(builder, loc, device, name, {pointer, pointer});
  Packer packer{KernelBuilder(builder, loc), geometry, height,
                function.getArgument(0), function.getArgument(1)};
  if (geometry.gemm.lhsStrideK == 1) {
    packer.packRowMajor();
  } else {
    packer.packColumnMajor();
  }
  return function;
}

} // namespace minic::cpu
