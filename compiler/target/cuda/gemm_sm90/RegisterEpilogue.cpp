// SPDX-License-Identifier: Apache-2.0
//
// Which lane has which sums, as the PTX ISA describes wgmma: of 8 columns two
// of one row, and two of the row 8 below.

#include "compiler/target/cuda/gemm_sm90/RegisterEpilogue.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace minic::cuda {

/// Rows of a pass, and columns that a lane stores at once.
constexpr int64_t passRows = 16, atOnce = 8;

bool RegisterEpilogue::fits(const kernel::FusionShape &shape, int64_t lanes) {
  int64_t whole = atOnce * shape.sumsPerResult();
  return lanes == atOnce && EpilogueEmitter::lanesFor(shape, whole) == whole &&
         shape.results.size() == 1 &&
         getElementTypeOrSelf(shape.results[0]).getIntOrFloatBitWidth() == 16 &&
         EpilogueEmitter::readsColumnsAlone(shape);
}

Value warpMemory(CudaKernelBuilder &k, const GemmSm90Geometry &geometry,
                 Value shared) {
  Value at = k.mul(k.warpId(), geometry.passBytes());
  return k.advance(shared, k.add(at, geometry.clusterBytes()), k.b.getI8Type());
}

Type RegisterEpilogue::storage() const {
  return getElementTypeOrSelf(space_.shape.results[0]);
}

void RegisterEpilogue::syncWarp() {
  NVVM::SyncWarpOp::create(k_.b, k_.loc, k_.i32(-1));
}

void RegisterEpilogue::prefetch(int64_t firstColumn, int64_t columns) {
  Value own = k_.mul(k_.rem(place_.lane, 4), 2);
  for (int64_t i = 0; i != columns; i += 8) {
    int64_t column = firstColumn + i;
    Value at = columnOf(k_.add(own, column));
    if (g_.gemm.n % g_.schedule.bn != 0) {
      at = k_.min(at, k_.i32(g_.gemm.n - 2));
    }
    EpilogueEmitter &epilogue =
        ofColumns_.try_emplace(column / 8, epilogue_).first->second;
    epilogue.prefetch(space_.at(k_, index_.batch, k_.i32(0), at, /*lanes=*/2));
  }
}

void RegisterEpilogue::finish(ArrayRef<Value> sums) {
  for (int64_t column = 0; column != g_.finishColumns();
       column += g_.passColumns()) {
    if (!ofColumns_.contains(column / 8)) {
      prefetch(column, g_.passColumns());
    }
    for (int64_t row = 0; row != g_.groupTileM; row += 64) {
      write(sums, row, column);
      syncWarp();
      store(row, column);
      syncWarp();
    }
  }
}

Value RegisterEpilogue::columnOf(Value column) {
  Value first = k_.mul(index_.tileN, g_.schedule.bn);
  return k_.add(k_.add(first, place_.firstColumn), column);
}

void RegisterEpilogue::write(ArrayRef<Value> sums, int64_t firstRow,
                             int64_t firstColumn) {
  auto pair = VectorType::get(2, k_.b.getF32Type());
  auto next = size_t((firstRow / 64 * g_.finishColumns() + firstColumn) / 2);
  int64_t perResult = g_.sumsPerResult;
  SmallVector<std::pair<Value, int64_t>> rounded;
  for (int64_t column = 0; column != g_.passColumns(); column += 8) {
    for (int64_t below : {0, 8}) {
      Value both = vector::FromElementsOp::create(
          k_.b, k_.loc, pair, ValueRange(sums.slice(next, 2)));
      next += 2;
      EpilogueEmitter epilogue = ofColumns_.at((firstColumn + column) / 8);
      rounded.push_back({k_.toStorage(epilogue.compute(both)[0], storage()),
                         below * g_.passPitch() + column / perResult});
    }
  }
  Value first = k_.add(k_.mul(k_.div(place_.lane, 4), g_.passPitch()),
                       k_.mul(k_.rem(place_.lane, 4), 2 / perResult));
  for (auto [value, offset] : rounded) {
    k_.storeAligned(value,
                    k_.advance(memory_, k_.add(first, offset), storage()));
  }
}

void RegisterEpilogue::store(int64_t firstRow, int64_t firstColumn) {
  const GemmSm90Schedule &s = g_.schedule;
  struct Access {
    Value row, column, words;
  };
  SmallVector<Access> accesses;
  int64_t perResult = g_.sumsPerResult;
  int64_t perRow = g_.passColumns() / (perResult * atOnce);
  for (int64_t i = 0; i != passRows * perRow / 32; ++i) {
    Value number = k_.add(place_.lane, 32 * i);
    Value row = k_.div(number, perRow);
    Value column = k_.mul(k_.rem(number, perRow), atOnce);
    Value from = k_.advance(
        memory_, k_.add(k_.mul(row, g_.passPitch()), column), storage());
    column = k_.mul(column, perResult);
    Value words = k_.loadRaw(VectorType::get(atOnce, storage()), from, 16);
    row = k_.add(k_.add(row, firstRow), k_.mul(place_.warp, passRows));
    row = k_.add(k_.mul(index_.tileM, s.bm), k_.add(place_.firstRow, row));
    accesses.push_back({row, columnOf(k_.add(column, firstColumn)), words});
  }
  for (const Access &access : accesses) {
    Value inside;
    auto require = [&](Value at, int64_t extent, int64_t tile) {
      if (extent % tile != 0) {
        Value is = k_.lessThan(at, extent);
        inside = inside ? arith::AndIOp::create(k_.b, k_.loc, inside, is) : is;
      }
    };
    require(access.row, g_.gemm.m, s.bm);
    require(access.column, g_.gemm.n, s.bn);
    auto store = [&] {
      epilogue_.storeRounded(space_.at(k_, index_.batch, access.row,
                                       access.column, perResult * atOnce),
                             access.words);
    };
    inside ? k_.ifThen(inside, store) : store();
  }
}

} // namespace minic::cuda
