// SPDX-License-Identifier: Apache-2.0
//
// Row-major tiles are transposed in registers, 16 words of K at a time; the
// rows of a transposed lhs already lie as they should.

#include "compiler/target/cpu/gemm_packed/PackLhs.h"

#include "compiler/target/cpu/Interleave.h"

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
    return g.schedule.dot == GemmDot::Fma ? Type(k.b.getF32Type())
                                          : Type(k.b.getI32Type());
  }

  /// 16 words of one row from word `word` on, of which `remaining` elements
  /// (null: all) exist.
  Value loadRow(int64_t row, Value word, Value remaining) {
    Type type = g.gemm.lhsType;
    Value pointer = k.advance(source, k.mul(word, g.wordElements()), type);
    pointer = k.advance(pointer, row * g.gemm.lhsStrideM, type);
    int64_t lanes = g.wordElements() * gemmLanes;
    Value mask = remaining ? k.tailMask(remaining, lanes) : Value();
    if (g.schedule.dot == GemmDot::Fma) {
      return k.loadVector(pointer, type, lanes, mask);
    }
    Value elements =
        k.loadRawMasked(VectorType::get(lanes, type), pointer, mask);
    return vector::BitCastOp::create(
        k.b, k.loc, VectorType::get(gemmLanes, wordType()), elements);
  }

  /// Transposes 16 words of all rows from `word` on.
  void packWords(Value word, Value remaining) {
    SmallVector<Value> rows;
    for (int64_t i = 0; i != g.packedRows; ++i) {
      rows.push_back(i < height ? loadRow(i, word, remaining)
                                : k.zeroVector(wordType(), gemmLanes));
    }
    rows = transpose(k, std::move(rows));
    Value to = k.advance(destination, k.mul(word, g.packedRows), wordType());
    for (int64_t i = 0; i != g.packedRows; ++i) {
      k.storeRaw(rows[i], k.advance(to, i * gemmLanes, wordType()), 4);
    }
  }

  void packRowMajor() {
    int64_t wholeWords = g.gemm.k / (gemmLanes * g.wordElements()) * gemmLanes;
    k.forLoop(k.i64(0), k.i64(wholeWords), gemmLanes,
              [&](Value word) { packWords(word, Value()); });
    int64_t remaining = g.gemm.k - wholeWords * g.wordElements();
    if (remaining > 0) {
      packWords(k.i64(wholeWords), k.i64(remaining));
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
    if (g.schedule.dot == GemmDot::Fma) {
      k.forLoop(k.i64(0), k.i64(g.kWords), 1, [&](Value word) {
        Type f32s = VectorType::get(g.packedRows, k.b.getF32Type());
        Value value = loadColumnMajor(word);
        storeWord(word, type.isF32()
                            ? value
                            : arith::ExtFOp::create(k.b, k.loc, f32s, value));
      });
      return;
    }
    // Elements past K are zero.
    int64_t whole = g.gemm.k / g.wordElements();
    auto storeElements = [&](Value word, int64_t count) {
      Value first = k.mul(word, g.wordElements());
      SmallVector<Value> elements;
      for (int64_t i = 0; i != g.wordElements(); ++i) {
        elements.push_back(i < count ? loadColumnMajor(k.add(first, i))
                                     : k.zeroVector(type, g.packedRows));
      }
      storeWord(word, interleaveAll(k, elements));
    };
    k.forLoop(k.i64(0), k.i64(whole), 1,
              [&](Value word) { storeElements(word, g.wordElements()); });
    if (int64_t remaining = g.gemm.k % g.wordElements()) {
      storeElements(k.i64(whole), remaining);
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
