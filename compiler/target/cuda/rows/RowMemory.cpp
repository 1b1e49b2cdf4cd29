// SPDX-License-Identifier: Apache-2.0
//
// One access per vector where lanes are neighbours in memory, one per lane
// elsewhere.

#include "compiler/target/cuda/rows/RowMemory.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/STLExtras.h"

#include <numeric>

using namespace mlir;

namespace minic::cuda {

/// The greatest element number of a tensor, or one that is never reached.
static int64_t lastElement(ArrayRef<int64_t> extents, int64_t offset,
                           ArrayRef<int64_t> strides) {
  for (auto [extent, stride] : llvm::zip_equal(extents, strides)) {
    offset += (extent - 1) * std::abs(stride);
  }
  return offset;
}

RowMemory::RowMemory(CudaKernelBuilder &k, const RowFusion &rows,
                     ArrayRef<Value> operandPointers,
                     ArrayRef<Value> resultPointers, Value row, int64_t across)
    : k(k), rows(rows), across(across) {
  isWide = llvm::any_of(rows.reads, [&](const RowFusion::Read &read) {
    return lastElement(rows.extents, read.offset, read.strides) > INT32_MAX;
  });
  isWide |= llvm::any_of(rows.results, [&](const RowFusion::Result &result) {
    return lastElement(rows.extents, 0, result.strides) > INT32_MAX;
  });
  SmallVector<Value> indices = delinearize(row, rows.rowExtents());
  for (const RowFusion::Read &read : rows.reads) {
    reads.push_back(place(operandPointers[read.argument], read.storage,
                          read.offset, read.strides, indices));
  }
  for (auto [pointer, result] : llvm::zip(resultPointers, rows.results)) {
    results.push_back(
        place(pointer, result.storage, 0, result.strides, indices));
  }
}

Value RowMemory::constant(int64_t value) {
  return isWide ? k.i64(value) : k.i32(value);
}

SmallVector<Value> RowMemory::delinearize(Value number,
                                          ArrayRef<int64_t> extents) {
  SmallVector<Value> indices(extents.size());
  for (size_t d = extents.size(); d-- > 0;) {
    Value i = d == 0 ? number : k.rem(number, extents[d]);
    indices[d] = isWide
                     ? arith::ExtUIOp::create(k.b, k.loc, k.b.getI64Type(), i)
                           .getResult()
                     : i;
    number = d == 0 ? number : k.div(number, extents[d]);
  }
  return indices;
}

RowMemory::Place RowMemory::place(Value base, Type storage, int64_t offset,
                                  ArrayRef<int64_t> strides,
                                  ArrayRef<Value> row) {
  Value at = constant(offset);
  int64_t alignment = offset;
  for (auto [i, stride] : llvm::zip(row, strides)) {
    at = k.add(at, k.mul(i, stride));
  }
  for (int64_t stride : strides.drop_back()) {
    alignment = std::gcd(alignment, stride);
  }
  return {k.advance(base, at, storage), storage,
          strides.drop_front(rows.rowLoops),
          across > 1 && strides[rows.rowLoops - 1] != 0, alignment};
}

Value RowMemory::pointer(const Place &place, Value column) {
  Value at = constant(0);
  for (auto [i, stride] : llvm::zip_equal(
           delinearize(column, rows.columnExtents()), place.strides)) {
    at = k.add(at, k.mul(i, stride));
  }
  return k.advance(place.base, at, place.storage);
}

bool RowMemory::staysInLoop(int64_t lanes) const {
  return rows.extents.back() % lanes == 0;
}

bool RowMemory::isVector(const Place &place, int64_t lanes) const {
  return place.strides.back() == 1 && staysInLoop(lanes) &&
         place.alignment % lanes == 0;
}

SmallVector<Value> RowMemory::pointers(const Place &place, Value column,
                                       int64_t lanes) {
  SmallVector<Value> all;
  for (int64_t lane = 0; lane != lanes; ++lane) {
    all.push_back(
        staysInLoop(lanes) && lane > 0
            ? k.advance(all[0], lane * place.strides.back(), place.storage)
            : pointer(place, k.add(column, lane)));
  }
  return all;
}

Value RowMemory::loadAcross(const Place &place, Value column) {
  Type memory = KernelBuilder::memoryType(place.storage);
  Value from = pointer(place, column);
  return place.dependsOnRow
             ? k.loadAligned(VectorType::get(across, memory), from)
             : k.splat(k.loadAligned(memory, from), across);
}

Value RowMemory::load(size_t read, Value column, int64_t lanes) {
  const Place &from = reads[read];
  if (across > 1) {
    return loadAcross(from, column);
  }
  Type memory = KernelBuilder::memoryType(from.storage);
  if (llvm::all_of(from.strides, [](int64_t s) { return s == 0; })) {
    return k.loadAligned(memory, from.base);
  }
  if (lanes == 1) {
    return k.loadAligned(memory, pointer(from, column));
  }
  auto type = VectorType::get(lanes, memory);
  if (isVector(from, lanes)) {
    return k.loadAligned(type, pointer(from, column));
  }
  if (from.strides.back() == 0 && staysInLoop(lanes)) {
    return k.splat(k.loadAligned(memory, pointer(from, column)), lanes);
  }
  auto elements =
      llvm::map_to_vector(pointers(from, column, lanes), [&](Value pointer) {
        return k.loadAligned(memory, pointer);
      });
  return vector::FromElementsOp::create(k.b, k.loc, type, elements);
}

void RowMemory::prefetch(size_t read, Value column) {
  k.prefetchToL2(pointer(reads[read], column));
}

void RowMemory::store(size_t result, Value value, Value column, int64_t lanes) {
  const Place &to = results[result];
  Value stored = k.toStorage(value, to.storage);
  if (lanes == 1 || isVector(to, lanes)) {
    k.storeAligned(stored, pointer(to, column));
    return;
  }
  for (auto [lane, pointer] : llvm::enumerate(pointers(to, column, lanes))) {
    k.storeAligned(vector::ExtractOp::create(k.b, k.loc, stored, int64_t(lane)),
                   pointer);
  }
}

} // namespace minic::cuda
