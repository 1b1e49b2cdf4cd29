// SPDX-License-Identifier: Apache-2.0
//
// The products of a block by the tiles of AMX. Scores are keys by queries, so
// that lanes are queries as elsewhere; sums are queries by elements of values.
// Tiles 0 to 3 are sums, 4 what is on the left, 5 to 7 what is on the right.

#include "compiler/target/cpu/TileOps.h"
#include "compiler/target/cpu/attention/Kernels.h"
#include "compiler/target/cpu/attention/PackTiles.h"
#include "compiler/target/cpu/attention/ScoreFinish.h"

using namespace mlir;

namespace minic::cpu {

namespace {

constexpr int lhsTile = 4, rhsTile = 5, rhsTiles = 3;
constexpr int64_t mostSums = 4;

class TileScores : TileCode {
public:
  TileScores(OpBuilder &builder, Location loc, const AttentionFusion &body,
             const TileShape &shape, LLVM::LLVMFuncOp function)
      : TileCode(builder, loc, body, shape), tiles(k),
        scratch(function.getArgument(0)), number(function.getArgument(1)),
        count(function.getArgument(2)), mask(function.getArgument(3)) {}

  void emit() {
    k.forLoop(k.i64(0), count, shape.lanes, [&](Value key) { multiply(key); });
    finish();
  }

private:
  /// 16 keys by all queries.
  void multiply(Value key) {
    Type half = k.b.getI16Type();
    Value keys = k.advance(memoryAt(*this, scratch, shape.at.keyTiles),
                           k.mul(key, shape.paddedDepth), half);
    Value queries = memoryAt(*this, scratch, shape.at.queryTiles);
    Value scores = k.advance(memoryAt(*this, scratch, shape.at.scores),
                             k.mul(key, shape.rows), f32());
    for (int64_t v = 0; v != shape.vectors; ++v) {
      tiles.zero(int(v));
    }
    for (int64_t d = 0; d != shape.paddedDepth; d += tileDepth) {
      tiles.load(lhsTile, k.advance(keys, d, half),
                 k.i64(2 * shape.paddedDepth), /*passing=*/false);
      for (int64_t v = 0; v != shape.vectors; ++v) {
        int rhs = rhsTile + int(v % rhsTiles);
        int64_t at = d * shape.rows + v * tileDepth * shape.lanes;
        tiles.load(rhs, k.advance(queries, at, half), k.i64(64),
                   /*passing=*/false);
        tiles.multiplyAdd(int(v), lhsTile, rhs, k.b.getBF16Type());
      }
    }
    for (int64_t v = 0; v != shape.vectors; ++v) {
      tiles.store(int(v), k.advance(scores, v * shape.lanes, f32()),
                  k.i64(4 * shape.rows));
    }
  }

  /// Scores of products, and the greatest of each query.
  void finish() {
    SmallVector<Value> greatest;
    for (int64_t v = 0; v != shape.vectors; ++v) {
      greatest.push_back(load(scratch, shape.at.next + v * shape.lanes));
    }
    greatest = k.forLoop(
        k.i64(0), count, 1, greatest, [&](Value key, ValueRange before) {
          Value row = k.advance(memoryAt(*this, scratch, shape.at.scores),
                                k.mul(key, shape.rows), f32());
          SmallVector<Value> next;
          for (int64_t v = 0; v != shape.vectors; ++v) {
            int64_t lane = v * shape.lanes;
            Value score =
                emitScore(*this, load(row, lane), scratch, k.add(number, key),
                          maskOf(key, lane), lane);
            store(score, row, lane);
            next.push_back(greater(score, before[size_t(v)]));
          }
          return next;
        });
    for (int64_t v = 0; v != shape.vectors; ++v) {
      store(greatest[size_t(v)], scratch, shape.at.next + v * shape.lanes);
    }
  }

  Value maskOf(Value key, int64_t lane) {
    if (!body.mask) {
      return {};
    }
    if (getMaskKind(body) == MaskKind::PerRow) {
      Value row = k.advance(memoryAt(*this, scratch, shape.at.mask),
                            k.mul(key, shape.rows), f32());
      return load(row, lane);
    }
    Type storage = body.mask->storage;
    Value at = k.advance(mask, k.mul(key, body.mask->strides[3]), storage);
    return k.splat(k.loadScalar(at, storage), shape.lanes);
  }

  TileOps tiles;
  Value scratch, number, count, mask;
};

class TileValues : TileCode {
public:
  TileValues(OpBuilder &builder, Location loc, const AttentionFusion &body,
             const TileShape &shape, LLVM::LLVMFuncOp function)
      : TileCode(builder, loc, body, shape), tiles(k),
        scratch(function.getArgument(0)), count(function.getArgument(1)) {}

  void emit() {
    scale();
    emitPackWeights(*this, memoryAt(*this, scratch, shape.at.scores), count,
                    memoryAt(*this, scratch, shape.at.weightTiles));
    k.forLoop(k.i64(0), k.i64(shape.rows), shape.lanes, [&](Value row) {
      for (int64_t column = 0; column < shape.sumColumns;
           column += mostSums * shape.lanes) {
        int64_t sums =
            std::min(mostSums, (shape.sumColumns - column) / shape.lanes);
        multiply(row, column, sums);
      }
    });
  }

private:
  /// Earlier sums, by `factor`.
  void scale() {
    k.forLoop(k.i64(0), k.i64(shape.rows), 1, [&](Value row) {
      Value factor = loadSplat(k.advance(scratch, row, f32()), shape.at.factor);
      Value sums = k.advance(memoryAt(*this, scratch, shape.at.sums),
                             k.mul(row, shape.sumColumns), f32());
      for (int64_t e = 0; e != shape.sumColumns; e += shape.lanes) {
        store(math().mul(load(sums, e), factor), sums, e);
      }
    });
  }

  /// 16 queries by `sums` times 16 elements of values.
  void multiply(Value row, int64_t column, int64_t sums) {
    Type half = k.b.getI16Type();
    Value to = k.advance(memoryAt(*this, scratch, shape.at.sums),
                         k.add(k.mul(row, shape.sumColumns), column), f32());
    Value stride = k.i64(4 * shape.sumColumns);
    auto sumsAt = [&](int64_t i) {
      return k.advance(to, i * shape.lanes, f32());
    };
    for (int64_t i = 0; i != sums; ++i) {
      tiles.load(int(i), sumsAt(i), stride, /*passing=*/false);
    }
    Value weights = k.advance(memoryAt(*this, scratch, shape.at.weightTiles),
                              k.mul(row, shape.blockKeys), half);
    Value values = memoryAt(*this, scratch, shape.at.valueTiles);
    k.forLoop(k.i64(0), count, tileDepth, [&](Value key) {
      tiles.load(lhsTile, k.advance(weights, key, half),
                 k.i64(2 * shape.blockKeys), /*passing=*/false);
      Value pairs = k.advance(
          values, k.add(k.mul(key, shape.sumColumns), 2 * column), half);
      for (int64_t i = 0; i != sums; ++i) {
        int rhs = rhsTile + int(i % rhsTiles);
        tiles.load(rhs, k.advance(pairs, i * tileDepth, half), stride,
                   /*passing=*/false);
        tiles.multiplyAdd(int(i), lhsTile, rhs, k.b.getBF16Type());
      }
    });
    for (int64_t i = 0; i != sums; ++i) {
      tiles.store(int(i), sumsAt(i), stride);
    }
  }

  TileOps tiles;
  Value scratch, count;
};

} // namespace

LLVM::LLVMFuncOp emitTileScoreKernel(OpBuilder &builder, Location loc,
                                     ModuleOp device, StringRef name,
                                     const AttentionFusion &body,
                                     const TileShape &shape) {
  OpBuilder::InsertionGuard guard(builder);
  Type pointer = LLVM::LLVMPointerType::get(builder.getContext());
  Type i64 = builder.getI64Type();
  LLVM::LLVMFuncOp function = createInternalFunction(
      builder, loc, device, name, {pointer, i64, i64, pointer});
  TileScores(builder, loc, body, shape, function).emit();
  return function;
}

LLVM::LLVMFuncOp emitTileValueKernel(OpBuilder &builder, Location loc,
                                     ModuleOp device, StringRef name,
                                     const AttentionFusion &body,
                                     const TileShape &shape) {
  OpBuilder::InsertionGuard guard(builder);
  Type pointer = LLVM::LLVMPointerType::get(builder.getContext());
  LLVM::LLVMFuncOp function = createInternalFunction(
      builder, loc, device, name, {pointer, builder.getI64Type()});
  TileValues(builder, loc, body, shape, function).emit();
  return function;
}

} // namespace minic::cpu
