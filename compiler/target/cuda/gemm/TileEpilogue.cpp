// SPDX-License-Identifier: Apache-2.0
//
// Thread-to-element maps of the epilogue, and the meeting of blocks that share
// a tile.

#include "compiler/target/cuda/gemm/TileEpilogue.h"

#include "compiler/target/cuda/LastBlock.h"
#include "compiler/target/cuda/Registers.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace minic::cuda {

TileEpilogue::Access TileEpilogue::access(Value pass) {
  int64_t perRow = tile_.columns / tile_.lanes;
  Value number = k_.add(k_.mul(pass, tile_.threads), thread_);
  Value row = k_.div(number, perRow);
  if (sharers_ > 1) {
    row = k_.add(row, k_.mul(index_.split, tile_.rows / sharers_));
  }
  return {number, row, k_.mul(k_.rem(number, perRow), tile_.lanes)};
}

/// A thread waits for memory once for so many: the batch norm of 784x512
/// results of a convolution, an access at a time, took 0.6 us more for each on
/// an H100.
int64_t TileEpilogue::atOnce() const {
  // Half of what a thread has where two blocks share an SM; sums are in shared
  // memory.
  int64_t mostRegisters =
      std::clamp<int64_t>(registersOfSm / (2 * tile_.threads) / 2, 32, 48);
  int64_t each = std::max<int64_t>(epilogue_.inputRegisters(tile_.lanes), 1);
  return std::clamp<int64_t>(mostRegisters / each, 1,
                             std::min<int64_t>(passes(), 4));
}

void TileEpilogue::forEach(
    int64_t unroll, llvm::function_ref<void(ArrayRef<Access>, bool)> body) {
  auto unrolled = [&](Value first, int64_t count, bool isFirst) {
    SmallVector<Access> accesses;
    for (int64_t i = 0; i != count; ++i) {
      accesses.push_back(access(k_.add(first, i)));
    }
    body(accesses, isFirst);
  };
  int64_t whole = passes() / unroll * unroll, done = 0;
  if (whole == unroll || (whole > 0 && !early_.empty())) {
    unrolled(k_.i32(0), unroll, /*isFirst=*/true);
    done = unroll;
  }
  if (whole > done + unroll) {
    k_.forLoop(k_.i32(done), k_.i32(whole), unroll, [&](Value first) {
      unrolled(first, unroll, /*isFirst=*/false);
    });
  } else if (whole > done) {
    unrolled(k_.i32(done), unroll, /*isFirst=*/false);
  }
  if (whole < passes()) {
    unrolled(k_.i32(whole), passes() - whole, /*isFirst=*/whole == 0);
  }
}

Value TileEpilogue::isInTile(const Access &access) {
  return accesses() % tile_.threads == 0
             ? Value()
             : k_.lessThan(access.number, accesses());
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

EpilogueEmitter TileEpilogue::load(const Access &access) {
  Value row = k_.add(k_.mul(index_.tileM, tile_.rows), access.row);
  Value column = k_.add(k_.mul(index_.tileN, tile_.columns), access.column);
  if (gemm_.m % tile_.rows != 0 || isInTile(access)) {
    row = k_.min(row, k_.i32(gemm_.m - 1));
  }
  if (gemm_.n % tile_.columns != 0) {
    column = k_.min(column, k_.i32(gemm_.n - tile_.lanes));
  }
  EpilogueEmitter epilogue = epilogue_;
  epilogue.prefetch(space_.at(k_, index_.batch, row, column, tile_.lanes));
  return epilogue;
}

void TileEpilogue::store(const Access &access, EpilogueEmitter &epilogue,
                         llvm::function_ref<Value()> sums) {
  auto finish = [&] { epilogue.finish(sums()); };
  if (Value inside = isInside(access)) {
    k_.ifThen(inside, finish);
  } else {
    finish();
  }
}

void TileEpilogue::prefetch(int64_t registers) {
  int64_t each = epilogue_.inputRegisters(tile_.lanes);
  if (each == 0 || raster_.meetsInMemory()) {
    return;
  }
  int64_t count = std::clamp<int64_t>(registers / each, 0, atOnce());
  for (int64_t pass = 0; pass != count; ++pass) {
    early_.push_back(load(access(k_.i32(pass))));
  }
}

void TileEpilogue::finishFrom(ArrayRef<Value> tiles) {
  forEach(atOnce(), [&](ArrayRef<Access> accesses, bool isFirst) {
    std::vector<EpilogueEmitter> loaded;
    for (auto [i, access] : llvm::enumerate(accesses)) {
      bool isEarly = isFirst && i < early_.size();
      loaded.push_back(isEarly ? early_[i] : load(access));
    }
    for (auto [access, epilogue] : llvm::zip_equal(accesses, loaded)) {
      store(access, epilogue, [&] { return loadSums(tiles, access); });
    }
  });
}

void TileEpilogue::finish(Value shared, Value workspace, Value counters) {
  if (raster_.clustered) {
    return finishCluster(shared);
  }
  if (raster_.meetsInMemory()) {
    return finishSplit(shared, workspace, counters);
  }
  finishFrom(shared);
}

void TileEpilogue::finishCluster(Value shared) {
  k_.clusterBarrier();
  SmallVector<Value> tiles;
  for (int64_t split = 0; split != raster_.splits; ++split) {
    tiles.push_back(k_.ofClusterBlock(shared, k_.i32(split)));
  }
  finishFrom(tiles);
  // No block may end while others read its memory.
  k_.clusterBarrier();
}

void TileEpilogue::finishSplit(Value shared, Value workspace, Value counters) {
  const TileRaster &raster = raster_;
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
  forEach(std::min<int64_t>(passes(), 8), [&](ArrayRef<Access> accesses, bool) {
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
        {passes(), int64_t(llvm::bit_floor(uint64_t(atOnce))), 8});
    forEach(unroll, [&](ArrayRef<Access> accesses, bool) {
      std::vector<EpilogueEmitter> loaded;
      for (const Access &access : accesses) {
        loaded.push_back(load(access));
      }
      SmallVector<SmallVector<Value>> parts;
      for (const Access &access : accesses) {
        // Beyond the tile is another's, or the workspace's end.
        Access inTile = access;
        if (isInTile(access)) {
          inTile.number = k_.min(access.number, k_.i32(this->accesses() - 1));
        }
        SmallVector<Value> &mineOf = parts.emplace_back();
        for (int64_t split = 0; split != raster.splits; ++split) {
          Value base = k_.advance(tile, split * perSplit, f32);
          mineOf.push_back(k_.loadRaw(type, place(base, inTile), alignment));
        }
      }
      for (auto [access, epilogue, values] :
           llvm::zip_equal(accesses, loaded, parts)) {
        Value sum = values.front();
        for (Value part : ArrayRef(values).drop_front()) {
          sum = arith::AddFOp::create(k_.b, k_.loc, sum, part);
        }
        store(access, epilogue, [&] { return sum; });
      }
    });
  });
}

} // namespace minic::cuda
