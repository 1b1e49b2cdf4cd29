// SPDX-License-Identifier: Apache-2.0
//
// Rows are copied a line at a time; of a transposed lhs, 16 rows and 16 words
// of K are transposed in registers.

#include "compiler/target/cpu/gemm_amx/PackBlock.h"

#include "compiler/target/cpu/Interleave.h"

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
        type_(g.factorType()) {}

  void emit() {
    if (g_.gemm.lhsStrideK == 1) {
      k_.forLoop(k_.i64(0), rows_, 1, [&](Value row) { copyRow(row); });
      return;
    }
    int64_t whole = g_.gemm.k / g_.tileDepth();
    k_.forLoop(k_.i64(0), k_.i64(whole), 1,
               [&](Value step) { transposeStep(step, g_.tileDepth()); });
    if (int64_t remaining = g_.gemm.k - whole * g_.tileDepth()) {
      transposeStep(k_.i64(whole), remaining);
    }
  }

private:
  Value tileRow(Value step, Value row) {
    Value element = k_.add(k_.mul(step, g_.tileDepth() * blockRows),
                           k_.mul(row, g_.tileDepth()));
    return k_.advance(destination_, element, type_);
  }

  void copyRow(Value row) {
    Value from = k_.advance(source_, k_.mul(row, g_.gemm.lhsStrideM), type_);
    auto line = VectorType::get(g_.tileDepth(), type_);
    auto copyStep = [&](Value step, Value mask) {
      Value at = k_.advance(from, k_.mul(step, g_.tileDepth()), type_);
      k_.storeRaw(k_.loadRawMasked(line, at, mask), tileRow(step, row), 64);
    };
    int64_t whole = g_.gemm.k / g_.tileDepth();
    k_.forLoop(k_.i64(0), k_.i64(whole), 1,
               [&](Value step) { copyStep(step, Value()); });
    if (int64_t remaining = g_.gemm.k - whole * g_.tileDepth()) {
      copyStep(k_.i64(whole), k_.tailMask(k_.i64(remaining), g_.tileDepth()));
    }
  }

  /// Element `index` of K of 16 rows from `firstRow` on.
  Value loadColumn(Value index, int64_t firstRow) {
    Value from = k_.advance(source_, k_.mul(index, g_.gemm.lhsStrideK), type_);
    Value mask = k_.tailMask(k_.sub(rows_, k_.i64(firstRow)), tileRows);
    return k_.loadRawMasked(VectorType::get(tileRows, type_),
                            k_.advance(from, firstRow, type_), mask);
  }

  /// One step, of which `remaining` elements of K exist.
  void transposeStep(Value step, int64_t remaining) {
    for (int64_t firstRow : {int64_t(0), tileRows}) {
      SmallVector<Value> words;
      for (int64_t i = 0; i != g_.tileDepth(); i += g_.wordElements()) {
        SmallVector<Value> elements;
        for (int64_t at = i; at != i + g_.wordElements(); ++at) {
          elements.push_back(
              at < remaining
                  ? loadColumn(k_.add(k_.mul(step, g_.tileDepth()), at),
                               firstRow)
                  : k_.zeroVector(type_, tileRows));
        }
        words.push_back(vector::BitCastOp::create(
            k_.b, k_.loc, VectorType::get(tileRows, k_.b.getI32Type()),
            interleaveAll(k_, elements)));
      }
      words = transpose(k_, std::move(words));
      for (int64_t row = 0; row != tileRows; ++row) {
        k_.storeRaw(words[row], tileRow(step, k_.i64(firstRow + row)), 64);
      }
    }
  }

  KernelBuilder k_;
  const GemmAmxGeometry &g_;
  Value source_, destination_, rows_;
  Type type_;
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
