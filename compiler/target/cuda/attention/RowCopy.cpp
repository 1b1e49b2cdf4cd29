// SPDX-License-Identifier: Apache-2.0
//
// Neighbouring threads copy neighbouring bytes. The threads of a row are a
// power of two, some of them idle where its accesses are none. Of a swizzled
// tile they pass a multiple of 8 rows at once: the swizzle stays the same.

#include "compiler/target/cuda/attention/RowCopy.h"

#include "compiler/target/cuda/gemm/SharedTile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace minic::cuda {

RowCopy::RowCopy(CudaKernelBuilder &builder, const SharedRows &rows,
                 int64_t tileRows, int64_t threads, Value thread)
    : k(builder), rows(rows), tileRows(tileRows) {
  int64_t access = rows.accessBytes, accesses = rows.padded * 2 / access;
  auto lanes = int64_t(llvm::PowerOf2Ceil(uint64_t(accesses)));
  rowsPerPass = threads / lanes;
  Value column = k.rem(thread, lanes);
  row_ = k.div(thread, lanes);
  bytes_ = k.mul(column, access);
  if (lanes != accesses) {
    hasBytes = k.lessThan(column, accesses);
  }
  if (rows.elements != rows.padded) {
    inside = k.sub(k.i32(rows.elements * 2), bytes_);
    inside = k.min(k.max(inside, k.i32(0)), k.i32(access));
  }
}

Value RowCopy::place() {
  if (rows.atomBytes == 0) {
    return k.add(k.mul(row_, rows.pitch()), bytes_);
  }
  SharedTile tile{rows.atomBytes};
  Value inTile = k.rem(bytes_, rows.atomBytes);
  Value chunk = arith::XOrIOp::create(k.b, k.loc, k.div(inTile, 16),
                                      tile.swizzle(k, row_));
  Value row = k.add(k.mul(chunk, 16), k.rem(inTile, 16));
  return k.add(k.mul(k.div(bytes_, rows.atomBytes), tileRows * rows.atomBytes),
               k.add(k.mul(row_, rows.atomBytes), row));
}

void RowCopy::copy(Value from, Value to, int64_t first, Value rowsLeft) {
  OpBuilder &b = k.b;
  Value bytes = inside;
  if (rowsLeft) {
    Value exists = k.lessThan(k.add(row_, first), rowsLeft);
    bytes = arith::SelectOp::create(
        b, k.loc, exists, bytes ? bytes : k.i32(rows.accessBytes), k.i32(0));
  }
  auto modifier = rows.accessBytes == 16 ? NVVM::LoadCacheModifierKind::CG
                                         : NVVM::LoadCacheModifierKind::CA;
  NVVM::CpAsyncOp::create(
      b, k.loc, to, from, b.getI32IntegerAttr(int32_t(rows.accessBytes)),
      NVVM::LoadCacheModifierKindAttr::get(b.getContext(), modifier), bytes);
}

void RowCopy::issue(Value shared, llvm::function_ref<Value(int64_t)> source,
                    Value rowsLeft) {
  Type i8 = k.b.getI8Type();
  Value to = k.advance(shared, place(), i8);
  auto all = [&] {
    for (int64_t first = 0; first < tileRows; first += rowsPerPass) {
      auto one = [&] {
        copy(source(first), k.advance(to, first * rows.pitch(), i8), first,
             rowsLeft);
      };
      if (first + rowsPerPass > tileRows) {
        k.ifThen(k.lessThan(row_, tileRows - first), one);
      } else {
        one();
      }
    }
  };
  hasBytes ? k.ifThen(hasBytes, all) : all();
}

} // namespace minic::cuda
