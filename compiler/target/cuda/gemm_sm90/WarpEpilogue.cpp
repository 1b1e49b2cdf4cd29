// SPDX-License-Identifier: Apache-2.0
//
// Which lane has which sums, as the PTX ISA describes wgmma, and which elements
// it makes results of.

#include "compiler/target/cuda/gemm_sm90/WarpEpilogue.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <utility>

using namespace mlir;

namespace minic::cuda {

/// Rows of a pass.
constexpr int64_t passRows = 16;

void WarpEpilogue::syncWarp() {
  NVVM::SyncWarpOp::create(k_.b, k_.loc, k_.i32(-1));
}

std::vector<WarpEpilogue::Access> WarpEpilogue::loadFrom(Value first,
                                                         const TileIndex &index,
                                                         int64_t firstRow,
                                                         int64_t firstColumn) {
  std::vector<Access> loaded;
  for (int64_t i = 0; i != g_.accessesAtOnce(); ++i) {
    Value number = k_.add(k_.mul(k_.add(first, i), 32), lane_);
    loaded.push_back(load(index, number, firstRow, firstColumn));
  }
  return loaded;
}

void WarpEpilogue::prefetch(const TileIndex &index) {
  if (g_.inputs.ofRows > 0 && g_.passAccesses() == g_.accessesAtOnce()) {
    ofFirst_ = loadFrom(k_.i32(0), index, 0, 0);
  }
}

void WarpEpilogue::finish(ArrayRef<Value> sums, const TileIndex &index) {
  for (int64_t row = 0; row != g_.groupTileM; row += 64) {
    for (int64_t column = 0; column != g_.groupTileN;
         column += g_.passColumns()) {
      pass(sums, index, row, column);
    }
  }
}

void WarpEpilogue::pass(ArrayRef<Value> sums, const TileIndex &index,
                        int64_t firstRow, int64_t firstColumn) {
  // What comes from memory is on its way while sums change hands.
  std::vector<Access> loaded = std::exchange(ofFirst_, {});
  bool areAll = g_.passAccesses() == g_.accessesAtOnce();
  if (areAll && loaded.empty()) {
    loaded = loadFrom(k_.i32(0), index, firstRow, firstColumn);
  }
  write(sums, firstRow, firstColumn);
  syncWarp();
  if (areAll) {
    llvm::for_each(loaded, [&](Access &each) { store(each); });
  } else {
    k_.forLoop(k_.i32(0), k_.i32(g_.passAccesses()), g_.accessesAtOnce(),
               [&](Value first) {
                 std::vector<Access> these =
                     loadFrom(first, index, firstRow, firstColumn);
                 llvm::for_each(these, [&](Access &each) { store(each); });
               });
  }
  syncWarp();
}

/// A lane that reads 8 columns does so in two halves. The first halves of a row
/// lie one after the other, and so do the second: 8 lanes read other banks
/// then.
Value WarpEpilogue::place(Value row, Value column) {
  Value inRow = column;
  if (halfDistance() > 0) {
    Value half = k_.rem(k_.div(column, 4), 2);
    inRow = k_.add(k_.add(k_.mul(k_.div(column, 8), 4), k_.rem(column, 4)),
                   k_.mul(half, halfDistance()));
  }
  return k_.add(k_.mul(row, g_.passPitch()), inRow);
}

void WarpEpilogue::write(ArrayRef<Value> sums, int64_t firstRow,
                         int64_t firstColumn) {
  Type f32 = k_.b.getF32Type();
  auto pair = VectorType::get(2, f32);
  Value first = k_.advance(
      memory_, place(k_.div(lane_, 4), k_.mul(k_.rem(lane_, 4), 2)), f32);
  // Of 8 columns a lane has two of one row, and two of the row 8 below.
  auto next = size_t((firstRow / 64 * g_.groupTileN + firstColumn) / 2);
  int64_t perEight = halfDistance() > 0 ? 4 : 8;
  for (int64_t column = 0; column != g_.passColumns(); column += 8) {
    for (int64_t below : {0, 8}) {
      Value value = LLVM::UndefOp::create(k_.b, k_.loc, pair);
      for (int64_t i : {0, 1}) {
        value = LLVM::InsertElementOp::create(k_.b, k_.loc, value, sums[next++],
                                              k_.i32(i));
      }
      int64_t offset = below * g_.passPitch() + column / 8 * perEight;
      k_.storeAligned(value, k_.advance(first, offset, f32));
    }
  }
}

WarpEpilogue::Access WarpEpilogue::load(const TileIndex &index, Value number,
                                        int64_t firstRow, int64_t firstColumn) {
  const GemmSm90Schedule &s = g_.schedule;
  int64_t perRow = g_.passColumns() / g_.lanes;
  Value row = k_.div(number, perRow);
  Value column = k_.mul(k_.rem(number, perRow), g_.lanes);
  Access access{k_.advance(memory_, place(row, column), k_.b.getF32Type()),
                Value(), epilogue_};
  row = k_.add(k_.add(row, firstRow), k_.mul(warp_, passRows));
  row = k_.add(k_.mul(index.tileM, s.bm), row);
  column = k_.add(k_.mul(index.tileN, s.bn), k_.add(column, firstColumn));
  // Of an access that is not inside, what another needs.
  auto require = [&](Value &at, int64_t extent, int64_t last) {
    Value isInside = k_.lessThan(at, extent);
    access.inside =
        access.inside
            ? arith::AndIOp::create(k_.b, k_.loc, access.inside, isInside)
            : isInside;
    at = k_.min(at, k_.i32(last));
  };
  if (g_.gemm.m % s.bm != 0) {
    require(row, g_.gemm.m, g_.gemm.m - 1);
  }
  if (g_.gemm.n % s.bn != 0) {
    require(column, g_.gemm.n, g_.gemm.n - g_.lanes);
  }
  row = k_.add(k_.mul(index.batch, g_.gemm.m), row);
  SpacePosition position{row, column, g_.lanes};
  g_.loadsColumnsAhead() ? access.epilogue.prefetch(position)
                         : access.epilogue.prefetchRows(position);
  return access;
}

void WarpEpilogue::store(Access &access) {
  auto finish = [&] {
    Type f32 = k_.b.getF32Type();
    if (halfDistance() == 0) {
      Type type = g_.lanes == 1 ? f32 : VectorType::get(g_.lanes, f32);
      return access.epilogue.finish(
          k_.loadRaw(type, access.from, std::min<int64_t>(g_.lanes * 4, 16)));
    }
    auto quad = VectorType::get(4, f32);
    std::array<Value, 2> halves;
    for (int64_t i : {0, 1}) {
      halves[size_t(i)] = k_.loadRaw(
          quad, k_.advance(access.from, i * halfDistance(), f32), 16);
    }
    SmallVector<Value> elements;
    for (Value half : halves) {
      for (int32_t i = 0; i != 4; ++i) {
        elements.push_back(
            LLVM::ExtractElementOp::create(k_.b, k_.loc, half, k_.i32(i)));
      }
    }
    access.epilogue.finish(vector::FromElementsOp::create(
        k_.b, k_.loc, VectorType::get(8, f32), elements));
  };
  access.inside ? k_.ifThen(access.inside, finish) : finish();
}

} // namespace minic::cuda
