// SPDX-License-Identifier: Apache-2.0
//
// The swizzle, and who copies what.

#include "compiler/target/cuda/gemm/SharedTile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace mlir;

namespace minic::cuda {

Value SharedTile::swizzle(CudaKernelBuilder &k, Value row) const {
  return k.rem(k.div(row, rowsPerLine()), std::min<int64_t>(chunks(), 8));
}

int64_t SharedTile::swizzle(int64_t row) const {
  return row / rowsPerLine() % std::min<int64_t>(chunks(), 8);
}

int64_t SharedTile::stepsToRepeat(int64_t rows) const {
  return period() / std::gcd(period(), rows);
}

TileCopy::TileCopy(CudaKernelBuilder &builder, const GemmOperand &operand,
                   const CopiedRows &rows, int64_t tileRows, int64_t rowBytes,
                   int64_t threads, Value thread, Value base, Value firstRow,
                   Value firstK)
    : k_(builder), operand_(operand), rows_(rows), tileRows_(tileRows),
      rowBytes_(rowBytes),
      hasKTail_(operand.paddedK * operand.elementBytes() % rowBytes != 0) {
  int64_t access = rows.accessBytes, elementBytes = operand.elementBytes();
  int64_t accesses = rowBytes / access;
  rowsPerPass_ = threads / accesses * rows.step;
  Value column = k_.rem(thread, accesses);
  row_ = k_.add(k_.mul(k_.div(thread, accesses), rows.step), rows.first);
  accessK_ = k_.mul(column, access / elementBytes);

  Type i64 = k_.b.getI64Type();
  auto widen = [&](Value value) -> Value {
    return arith::ExtUIOp::create(k_.b, k_.loc, i64, value);
  };
  Value offset =
      k_.mul(widen(k_.add(firstRow, row_)), operand.pitch * elementBytes);
  offset =
      k_.add(offset, widen(k_.mul(k_.add(firstK, accessK_), elementBytes)));
  source_ = k_.advance(base, offset, k_.b.getI8Type());

  SharedTile tile{rowBytes};
  Value chunk = k_.div(column, 16 / access);
  Value inChunk = k_.mul(k_.rem(column, 16 / access), access);
  int64_t passes = llvm::divideCeil(tileRows, rowsPerPass_);
  int64_t distinct = std::min(passes, tile.stepsToRepeat(rowsPerPass_));
  for (int64_t pass = 0; pass != distinct; ++pass) {
    Value row = k_.add(row_, pass * rowsPerPass_);
    Value swizzled =
        arith::XOrIOp::create(k_.b, k_.loc, chunk, tile.swizzle(k_, row));
    offsets_.push_back(
        k_.add(k_.add(k_.mul(row, rowBytes), k_.mul(swizzled, 16)), inChunk));
  }
  if (operand.rows % tileRows != 0) {
    rowsLeft_ = k_.sub(k_.i32(operand.rows), k_.add(firstRow, row_));
  }
}

void TileCopy::issue(Value source, Value shared, Value kLeft) {
  OpBuilder &b = k_.b;
  int64_t access = rows_.accessBytes, elementBytes = operand_.elementBytes();
  // Bytes of the thread's access that are inside K.
  Value inside;
  if (hasKTail_) {
    Value left = k_.mul(k_.sub(kLeft, accessK_), elementBytes);
    inside = k_.min(k_.max(left, k_.i32(0)), k_.i32(access));
  }
  auto modifier = access == 16 ? NVVM::LoadCacheModifierKind::CG
                               : NVVM::LoadCacheModifierKind::CA;
  int64_t passes = llvm::divideCeil(tileRows_, rowsPerPass_);
  int64_t distinct = int64_t(offsets_.size());
  for (int64_t pass = 0; pass != passes; ++pass) {
    int64_t first = pass * rowsPerPass_;
    // The swizzle repeats.
    Value offset =
        k_.add(offsets_[size_t(pass % distinct)],
               pass / distinct * distinct * rowsPerPass_ * rowBytes_);
    auto copy = [&] {
      Value bytes = inside;
      if (rowsLeft_) {
        Value isInside = arith::CmpIOp::create(
            b, k_.loc, arith::CmpIPredicate::sgt, rowsLeft_, k_.i32(first));
        bytes = arith::SelectOp::create(
            b, k_.loc, isInside, inside ? inside : k_.i32(access), k_.i32(0));
      }
      Value from = k_.advance(source, first * operand_.pitch * elementBytes,
                              b.getI8Type());
      Value to = k_.advance(shared, offset, b.getI8Type());
      NVVM::CpAsyncOp::create(
          b, k_.loc, to, from, b.getI32IntegerAttr(int32_t(access)),
          NVVM::LoadCacheModifierKindAttr::get(b.getContext(), modifier),
          bytes);
    };
    if (first + rowsPerPass_ > tileRows_) {
      k_.ifThen(k_.lessThan(row_, tileRows_ - first), copy);
    } else {
      copy();
    }
  }
}

} // namespace minic::cuda
