// SPDX-License-Identifier: Apache-2.0
//
// Rows are copied a line at a time; of a transposed lhs, 16 rows and 16 pairs
// of K are transposed in registers.

#include "compiler/target/cpu/gemm_amx/PackBlock.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace minic::cpu {

namespace {

class BlockPacker {
public:
  BlockPacker(OpBuilder &builder, Location loc, const GemmAmxGeometry &g,
              LLVM::LLVMFuncOp function)
      : k_(builder, loc), g_(g), source_(function.getArgument(0)),
        destination_(function.getArgument(1)), rows_(function.getArgument(2)),
        bf16_(builder.getBF16Type()) {}

  void emit() {
    if (g_.gemm.lhsStrideK == 1) {
      k_.forLoop(k_.i64(0), rows_, 1, [&](Value row) { copyRow(row); });
      return;
    }
    int64_t whole = g_.gemm.k / tileDepth;
    k_.forLoop(k_.i64(0), k_.i64(whole), 1,
               [&](Value step) { transposeStep(step, tileDepth); });
    if (int64_t remaining = g_.gemm.k - whole * tileDepth) {
      transposeStep(k_.i64(whole), remaining);
    }
  }

private:
  Value tileRow(Value step, Value row) {
    Value element =
        k_.add(k_.mul(step, tileDepth * blockRows), k_.mul(row, tileDepth));
    return k_.advance(destination_, element, bf16_);
  }

  void copyRow(Value row) {
    Value from = k_.advance(source_, k_.mul(row, g_.gemm.lhsStrideM), bf16_);
    auto line = VectorType::get(tileDepth, bf16_);
    auto copyStep = [&](Value step, Value mask) {
      Value at = k_.advance(from, k_.mul(step, tileDepth), bf16_);
      k_.storeRaw(k_.loadRawMasked(line, at, mask), tileRow(step, row), 64);
    };
    int64_t whole = g_.gemm.k / tileDepth;
    k_.forLoop(k_.i64(0), k_.i64(whole), 1,
               [&](Value step) { copyStep(step, Value()); });
    if (int64_t remaining = g_.gemm.k - whole * tileDepth) {
      copyStep(k_.i64(whole), k_.tailMask(k_.i64(remaining), tileDepth));
    }
  }

  /// Lanes of `a` and `b` alternating, of their low or high halves.
  Value interleave(Value a, Value b, bool high) {
    int64_t lanes = cast<VectorType>(a.getType()).getNumElements();
    SmallVector<int64_t> lane;
    for (int64_t i = 0; i != lanes / 2; ++i) {
      int64_t from = i + (high ? lanes / 2 : 0);
      lane.append({from, from + lanes});
    }
    return vector::ShuffleOp::create(k_.b, k_.loc, a, b, lane);
  }

  /// Element `index` of K of 16 rows from `firstRow` on.
  Value loadColumn(Value index, int64_t firstRow) {
    Value from = k_.advance(source_, k_.mul(index, g_.gemm.lhsStrideK), bf16_);
    Value mask = k_.tailMask(k_.sub(rows_, k_.i64(firstRow)), tileRows);
    return k_.loadRawMasked(VectorType::get(tileRows, bf16_),
                            k_.advance(from, firstRow, bf16_), mask);
  }

  /// One step, of which `remaining` elements of K exist.
  void transposeStep(Value step, int64_t remaining) {
    for (int64_t firstRow : {int64_t(0), tileRows}) {
      SmallVector<Value> words;
      auto element = [&](int64_t i) {
        return i < remaining
                   ? loadColumn(k_.add(k_.mul(step, tileDepth), i), firstRow)
                   : k_.zeroVector(bf16_, tileRows);
      };
      for (int64_t i = 0; i != tileDepth; i += 2) {
        SmallVector<int64_t> lane;
        for (int64_t row = 0; row != tileRows; ++row) {
          lane.append({row, row + tileRows});
        }
        Value pairs = vector::ShuffleOp::create(k_.b, k_.loc, element(i),
                                                element(i + 1), lane);
        words.push_back(vector::BitCastOp::create(
            k_.b, k_.loc, VectorType::get(tileRows, k_.b.getI32Type()), pairs));
      }
      // Interleaving the lower with the upper half of the registers moves the
      // top bit of an element's row number below its column number.
      for (int64_t bit = tileRows; bit > 1; bit /= 2) {
        SmallVector<Value> next;
        for (int64_t i = 0; i != tileRows / 2; ++i) {
          for (bool high : {false, true}) {
            next.push_back(interleave(words[i], words[i + tileRows / 2], high));
          }
        }
        words = next;
      }
      for (int64_t row = 0; row != tileRows; ++row) {
        k_.storeRaw(words[row], tileRow(step, k_.i64(firstRow + row)), 64);
      }
    }
  }

  KernelBuilder k_;
  const GemmAmxGeometry &g_;
  Value source_, destination_, rows_;
  Type bf16_;
};

} // namespace

LLVM::LLVMFuncOp emitPackBlock(OpBuilder &builder, Location loc,
                               ModuleOp device, StringRef name,
                               const GemmAmxGeometry &geometry) {
  OpBuilder::InsertionGuard guard(builder);
  Type pointer = LLVM::LLVMPointerType::get(builder.getContext());
  LLVM::LLVMFuncOp function = createInternalFunction(
      builder, loc, device, name, {pointer, pointer, builder.getI64Type()});
  BlockPacker(builder, loc, geometry, function).emit();
  return function;
}

} // namespace minic::cpu
