// SPDX-License-Identifier: Apache-2.0
//
// A vector access where columns are neighbours in memory, an access per lane
// elsewhere.

#include "compiler/target/cpu/rows/RowMemory.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace minic::cpu {

/// More than a vector behind the last column, which is written in full.
static int64_t keptColumns(const RowFusion &rows) {
  return int64_t(llvm::alignTo(rows.columns() + 16, 16));
}

int64_t scratchBytes(const RowFusion &rows, const RowWalks &walks) {
  return int64_t(walks.kept.size()) * keptColumns(rows) * 4;
}

RowMemory::RowMemory(KernelBuilder &k, const RowFusion &rows,
                     const RowWalks &walks, int64_t lanes,
                     const KernelEntry &entry, int64_t operands)
    : k(k), rows(rows), walks(walks), lanes(lanes), scratch(entry.scratch) {
  for (const RowFusion::Read &read : rows.reads) {
    reads.push_back(k.advance(k.argPointer(entry.args, read.argument),
                              read.offset, read.storage));
  }
  for (size_t i = 0; i != rows.results.size(); ++i) {
    results.push_back(k.argPointer(entry.args, operands + int64_t(i)));
  }
}

SmallVector<Value> RowMemory::indicesOf(Value point,
                                        ArrayRef<int64_t> extents) {
  SmallVector<Value> indices(extents.size());
  for (size_t d = extents.size(); d-- > 0;) {
    indices[d] = d == 0 ? point : k.rem(point, extents[d]);
    point = d == 0 ? point : k.div(point, extents[d]);
  }
  return indices;
}

Value RowMemory::locate(Value pointer, Type storage, ArrayRef<Value> indices,
                        ArrayRef<int64_t> strides) {
  Value offset = k.i64(0);
  for (auto [index, stride] : llvm::zip_equal(indices, strides)) {
    offset = k.add(offset, k.mul(index, stride));
  }
  return k.advance(pointer, offset, storage);
}

void RowMemory::enterRow(Value row) {
  SmallVector<Value> indices = indicesOf(row, rows.rowExtents());
  auto ofRow = [&](ArrayRef<int64_t> strides) {
    return strides.take_front(rows.rowLoops);
  };
  rowReads.clear();
  for (auto [read, base] : llvm::zip_equal(rows.reads, reads)) {
    rowReads.push_back(
        locate(base, read.storage, indices, ofRow(read.strides)));
  }
  rowResults.clear();
  for (auto [result, base] : llvm::zip_equal(rows.results, results)) {
    rowResults.push_back(
        locate(base, result.storage, indices, ofRow(result.strides)));
  }
}

void RowMemory::enterLine(Value number) {
  line = number;
  SmallVector<Value> indices =
      indicesOf(line, rows.columnExtents().drop_back());
  auto ofLine = [&](ArrayRef<int64_t> strides) {
    return strides.drop_front(rows.rowLoops).drop_back();
  };
  lineReads.clear();
  for (auto [read, base] : llvm::zip_equal(rows.reads, rowReads)) {
    lineReads.push_back(
        locate(base, read.storage, indices, ofLine(read.strides)));
  }
  lineResults.clear();
  for (auto [result, base] : llvm::zip_equal(rows.results, rowResults)) {
    lineResults.push_back(
        locate(base, result.storage, indices, ofLine(result.strides)));
  }
}

Value RowMemory::mask(const Columns &columns) {
  if (columns.filled == lanes) {
    return {};
  }
  SmallVector<bool> bits(size_t(lanes), false);
  std::fill_n(bits.begin(), columns.filled, true);
  auto type = VectorType::get(lanes, k.b.getI1Type());
  return arith::ConstantOp::create(
      k.b, k.loc, DenseElementsAttr::get(type, ArrayRef<bool>(bits)));
}

Value RowMemory::loadPerRow(size_t read) {
  return k.loadScalar(rowReads[read], rows.reads[read].storage);
}

Value RowMemory::load(size_t read, const Columns &columns) {
  Type storage = rows.reads[read].storage;
  int64_t stride = rows.reads[read].strides.back();
  if (stride == 0) {
    return k.splat(k.loadScalar(lineReads[read], storage), lanes);
  }
  Value at = k.advance(lineReads[read], k.mul(columns.first, stride), storage);
  if (stride == 1) {
    return k.loadVector(at, storage, lanes, mask(columns));
  }
  SmallVector<Value> elements;
  for (int64_t lane = 0; lane != lanes; ++lane) {
    elements.push_back(
        lane < columns.filled
            ? k.loadScalar(k.advance(at, lane * stride, storage), storage)
            : elements.back());
  }
  auto type = VectorType::get(lanes, elements.front().getType());
  return vector::FromElementsOp::create(k.b, k.loc, type, elements);
}

void RowMemory::storePerRow(size_t result, Value value) {
  Type storage = rows.results[result].storage;
  value = k.toStorage(value, storage);
  k.storeRaw(value, rowResults[result],
             value.getType().getIntOrFloatBitWidth() / 8);
}

void RowMemory::store(size_t result, const Columns &columns, Value value) {
  Type storage = rows.results[result].storage;
  int64_t stride = rows.results[result].strides.back();
  Value at =
      k.advance(lineResults[result], k.mul(columns.first, stride), storage);
  if (stride == 1) {
    k.storeVector(value, at, storage, mask(columns));
    return;
  }
  value = k.toStorage(value, storage);
  for (int64_t lane = 0; lane != columns.filled; ++lane) {
    Value element = vector::ExtractOp::create(k.b, k.loc, value, lane);
    k.storeRaw(element, k.advance(at, lane * stride, storage),
               element.getType().getIntOrFloatBitWidth() / 8);
  }
}

Value RowMemory::numberOf(const Columns &columns) {
  return k.add(k.mul(line, rows.extents.back()), columns.first);
}

Value RowMemory::keptAt(size_t node, const Columns &columns) {
  int64_t slot = llvm::find(walks.kept, node) - walks.kept.begin();
  Type f32 = k.b.getF32Type();
  return k.advance(k.advance(scratch, slot * keptColumns(rows), f32),
                   numberOf(columns), f32);
}

Value RowMemory::reload(size_t node, const Columns &columns) {
  auto type = VectorType::get(lanes, k.b.getF32Type());
  return k.loadRaw(type, keptAt(node, columns), 4);
}

// Lanes that are no columns reach into the next line, which is written later.
void RowMemory::keep(size_t node, const Columns &columns, Value value) {
  k.storeRaw(value, keptAt(node, columns), 4);
}

} // namespace minic::cpu
