// SPDX-License-Identifier: Apache-2.0
//
// Thread-to-element maps of the epilogue, and the meeting of blocks that share
// a tile.

#include "compiler/target/cuda/gemm/TileEpilogue.h"

#include "compiler/target/cuda/LastBlock.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace minic::cuda {

TileEpilogue::Access TileEpilogue::access(Value pass) {
  int64_t perRow = tile_.columns / tile_.lanes;
  Value number = k_.add(k_.mul(pass, tile_.threads), thread_);
  Value row = k_.div(number, perRow);
  if (tile_.sharers > 1) {
    row = k_.add(row, k_.mul(index_.split, tile_.rows / tile_.sharers));
  }
  return {number, row, k_.mul(k_.rem(number, perRow), tile_.lanes)};
}

void TileEpilogue::forEach(int64_t unroll,
                           llvm::function_ref<void(ArrayRef<Access>)> body) {
  auto unrolled = [&](Value first, int64_t count) {
    SmallVector<Access> accesses;
    for (int64_t i = 0; i != count; ++i) {
      accesses.push_back(access(k_.add(first, i)));
    }
    body(accesses);
  };
  int64_t whole = tile_.passes() / unroll * unroll;
  if (whole == unroll) {
    unrolled(k_.i32(0), unroll);
  } else if (whole > 0) {
    k_.forLoop(k_.i32(0), k_.i32(whole), unroll,
               [&](Value first) { unrolled(first, unroll); });
  }
  if (whole < tile_.passes()) {
    unrolled(k_.i32(whole), tile_.passes() - whole);
  }
}

Value TileEpilogue::isInTile(const Access &access) {
  return tile_.accesses() % tile_.threads == 0
             ? Value()
             : k_.lessThan(access.number, tile_.accesses());
}

Value TileEpilogue::isInside(const Access &access) {
  Value inside = isInTile(access);
  auto require = [&](Value condition) {
    inside = inside ? arith::AndIOp::create(k_.b, k_.loc, inside, condition)
                    : condition;
  };
  if (gemm_.m % tile_.rows != 0) {
    Value row = k_.add(k_.mul(index_.tileM, tile_.rows), access.row);
    require(k_.lessThan(row, gemm_.m));
  }
  if (gemm_.n % tile_.columns != 0) {
    Value column = k_.add(k_.mul(index_.tileN, tile_.columns), access.column);
    require(k_.lessThan(column, gemm_.n));
  }
  return inside;
}

Value TileEpilogue::loadSums(ArrayRef<Value> tiles, const Access &access) {
  Type f32 = k_.b.getF32Type();
  Type type = tile_.sumType(k_.b);
  int64_t alignment = std::min<int64_t>(tile_.lanes * 4, 16);
  Value offset = k_.add(k_.mul(access.row, tile_.pitch), access.column);
  Value sum;
  for (Value tile : tiles) {
    Value at = k_.advance(tile, offset, f32);
    for (int64_t copy = 0; copy != tile_.copies; ++copy) {
      Value part =
          k_.loadRaw(type, k_.advance(at, copy * tile_.rows * tile_.pitch, f32),
                     alignment);
      sum = sum ? arith::AddFOp::create(k_.b, k_.loc, sum, part) : part;
    }
  }
  return sum;
}

void TileEpilogue::emit(const Access &access, llvm::function_ref<Value()> sums,
                        EpilogueEmitter &epilogue) {
  auto store = [&] {
    Value row = k_.add(k_.mul(index_.tileM, tile_.rows), access.row);
    row = k_.add(k_.mul(index_.batch, gemm_.m), row);
    Value column = k_.add(k_.mul(index_.tileN, tile_.columns), access.column);
    epilogue.prefetch({row, column, tile_.lanes});
    epilogue.finish(sums());
  };
  if (Value inside = isInside(access)) {
    k_.ifThen(inside, store);
  } else {
    store();
  }
}

void TileEpilogue::finishFrom(ArrayRef<Value> tiles,
                              EpilogueEmitter &epilogue) {
  forEach(std::min<int64_t>(tile_.passes(), 4), [&](ArrayRef<Access> accesses) {
    for (const Access &access : accesses) {
      emit(access, [&] { return loadSums(tiles, access); }, epilogue);
    }
  });
}

void TileEpilogue::finish(Value shared, EpilogueEmitter &epilogue) {
  finishFrom(shared, epilogue);
}

void TileEpilogue::finishCluster(Value shared, EpilogueEmitter &epilogue,
                                 int64_t splits) {
  k_.clusterBarrier();
  SmallVector<Value> tiles;
  for (int64_t split = 0; split != splits; ++split) {
    tiles.push_back(k_.ofClusterBlock(shared, k_.i32(split)));
  }
  tile_.sharers = splits;
  finishFrom(tiles, epilogue);
  // No block may end while others read its memory.
  k_.clusterBarrier();
}

void TileEpilogue::finishSplit(Value shared, EpilogueEmitter &epilogue,
                               const TileRaster &raster, Value workspace,
                               Value counters) {
  Type f32 = k_.b.getF32Type();
  int64_t elements = tile_.rows * tile_.columns;
  int64_t perSplit = raster.tiles() * raster.batches * elements;
  int64_t alignment = std::min<int64_t>(tile_.lanes * 4, 16);
  Type type = tile_.sumType(k_.b);
  auto widen = [&](Value value) -> Value {
    return arith::ExtUIOp::create(k_.b, k_.loc, k_.b.getI64Type(), value);
  };
  Value tile = k_.advance(workspace, k_.mul(widen(index_.tile), elements), f32);
  auto place = [&](Value base, const Access &access) {
    return k_.advance(base, k_.mul(access.number, tile_.lanes), f32);
  };
  auto guarded = [&](Value condition, llvm::function_ref<void()> body) {
    condition ? k_.ifThen(condition, body) : body();
  };

  Value mine = k_.advance(tile, k_.mul(widen(index_.split), perSplit), f32);
  forEach(std::min<int64_t>(tile_.passes(), 8), [&](ArrayRef<Access> accesses) {
    for (const Access &access : accesses) {
      guarded(isInTile(access), [&] {
        k_.storeRaw(loadSums(shared, access), place(mine, access), alignment);
      });
    }
  });
  Value counter = k_.advance(counters, index_.tile, k_.b.getI32Type());
  Value isLast = emitIsLastBlock(k_, counter, raster.splits, shared);
  k_.ifThen(isLast, [&] {
    // All loads of some accesses before the first sum: their latencies overlap.
    int64_t atOnce = std::max<int64_t>(64 / (tile_.lanes * raster.splits), 1);
    int64_t unroll = std::min<int64_t>(
        {tile_.passes(), int64_t(llvm::bit_floor(uint64_t(atOnce))), 8});
    forEach(unroll, [&](ArrayRef<Access> accesses) {
      SmallVector<SmallVector<Value>> parts;
      for (const Access &access : accesses) {
        // Beyond the tile is another's, or the workspace's end.
        Access inTile = access;
        if (isInTile(access)) {
          inTile.number = k_.min(access.number, k_.i32(tile_.accesses() - 1));
        }
        SmallVector<Value> &mineOf = parts.emplace_back();
        for (int64_t split = 0; split != raster.splits; ++split) {
          Value base = k_.advance(tile, split * perSplit, f32);
          mineOf.push_back(k_.loadRaw(type, place(base, inTile), alignment));
        }
      }
      for (auto [access, values] : llvm::zip_equal(accesses, parts)) {
        Value sum = values.front();
        for (Value part : ArrayRef(values).drop_front()) {
          sum = arith::AddFOp::create(k_.b, k_.loc, sum, part);
        }
        emit(access, [&] { return sum; }, epilogue);
      }
    });
  });
}

} // namespace minic::cuda
