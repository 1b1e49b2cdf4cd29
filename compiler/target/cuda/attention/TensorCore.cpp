// SPDX-License-Identifier: Apache-2.0
//
// ldmatrix and mma.sync.m16n8k16.

#include "compiler/target/cuda/attention/TensorCore.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace minic::cuda {

Fragment TensorCore::load(Value pointer, bool isTransposed) {
  OpBuilder &b = k.b;
  auto four = LLVM::LLVMStructType::getLiteral(
      b.getContext(), SmallVector<Type>(4, b.getI32Type()));
  Value matrices = NVVM::LdMatrixOp::create(
      b, k.loc, four, pointer, 4,
      isTransposed ? NVVM::MMALayout::col : NVVM::MMALayout::row,
      NVVM::LdStMatrixShapeAttr::get(b.getContext(), 8, 8),
      NVVM::LdStMatrixEltType::B16);
  Fragment registers;
  for (int64_t i = 0; i != 4; ++i) {
    registers.push_back(LLVM::ExtractValueOp::create(b, k.loc, matrices, i));
  }
  return registers;
}

void TensorCore::multiply(ArrayRef<Value> rows, ArrayRef<Value> columns,
                          MutableArrayRef<Value> sums) {
  OpBuilder &b = k.b;
  auto ptx = type.isBF16() ? NVVM::MMATypes::bf16 : NVVM::MMATypes::f16;
  SmallVector<Value> lhs(rows), rhs(columns);
  if (type.isF16()) {
    for (Value &bits : llvm::concat<Value>(lhs, rhs)) {
      bits = LLVM::BitcastOp::create(b, k.loc, VectorType::get(2, type), bits);
    }
  }
  auto four = LLVM::LLVMStructType::getLiteral(
      b.getContext(), SmallVector<Type>(4, b.getF32Type()));
  Value result = NVVM::MmaOp::create(
      b, k.loc, four, lhs, rhs, ValueRange(sums), ArrayRef<int64_t>{16, 8, 16},
      std::nullopt, std::nullopt, std::array{ptx, ptx},
      std::array{NVVM::MMALayout::row, NVVM::MMALayout::col});
  for (size_t i = 0; i != 4; ++i) {
    sums[i] = LLVM::ExtractValueOp::create(b, k.loc, result, int64_t(i));
  }
}

Value TensorCore::pack(Value low, Value high) {
  auto pair = VectorType::get(2, k.b.getF32Type());
  Value both =
      vector::FromElementsOp::create(k.b, k.loc, pair, ValueRange{low, high});
  return LLVM::BitcastOp::create(k.b, k.loc, k.b.getI32Type(),
                                 k.toStorage(both, type));
}

} // namespace minic::cuda
