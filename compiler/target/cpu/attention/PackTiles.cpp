// SPDX-License-Identifier: Apache-2.0
//
// A pair of bf16 is a word of 32 bits, which is transposed as one. Elements are
// integers here: LLVM shuffles floats of 16 bits one by one.

#include "compiler/target/cpu/attention/PackTiles.h"

#include "compiler/target/cpu/Interleave.h"
#include "compiler/target/cpu/attention/PackRows.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace minic::cpu {

static VectorType integers(TileCode &code, int64_t count, unsigned bits) {
  return VectorType::get(count, code.k.b.getIntegerType(bits));
}

static Value asWords(TileCode &code, Value halves) {
  return vector::BitCastOp::create(
      code.k.b, code.k.loc, integers(code, code.shape.lanes, 32), halves);
}

/// The halves of `low` and `high`, 16 lanes each, alternating.
static Value zip(TileCode &code, Value low, Value high) {
  SmallVector<int64_t> lanes;
  for (int64_t i = 0; i != code.shape.lanes; ++i) {
    lanes.append({i, i + code.shape.lanes});
  }
  return vector::ShuffleOp::create(code.k.b, code.k.loc, low, high, lanes);
}

/// The lanes of up to `lanes` that are elements from `first` on of `depth`;
/// null for all.
static Value maskOfRow(TileCode &code, Value first, int64_t depth,
                       int64_t lanes) {
  return depth % lanes == 0
             ? Value()
             : code.k.tailMask(code.k.sub(code.k.i64(depth), first), lanes);
}

void emitPackQueries(TileCode &code, ArrayRef<Value> rows, Value to) {
  KernelBuilder &k = code.k;
  Type half = k.b.getI16Type();
  k.forLoop(k.i64(0), k.i64(code.shape.paddedDepth), tileDepth,
            [&](Value first) {
              Value mask = maskOfRow(code, first, code.body.depth, tileDepth);
              SmallVector<Value> words;
              for (Value row : rows) {
                words.push_back(asWords(
                    code, k.loadRawMasked(integers(code, tileDepth, 16),
                                          k.advance(row, first, half), mask)));
              }
              // A step's tile is of as many elements as its queries have.
              Value tile = k.advance(to, k.mul(first, code.shape.rows), half);
              for (auto [pair, line] :
                   llvm::enumerate(transpose(code.k, std::move(words)))) {
                k.storeRaw(
                    line, k.advance(tile, int64_t(pair) * tileDepth, half), 64);
              }
            });
}

void emitPackKeys(TileCode &code, Value from, int64_t stride, Value count,
                  Value to) {
  KernelBuilder &k = code.k;
  Type half = k.b.getI16Type();
  int64_t columns = code.shape.paddedDepth;
  k.forLoop(k.i64(0), count, 1, [&](Value key) {
    Value source = k.advance(from, k.mul(key, stride), half);
    Value target = k.advance(to, k.mul(key, columns), half);
    for (int64_t first = 0; first != columns; first += tileDepth) {
      Value line = k.loadRawMasked(
          integers(code, tileDepth, 16), k.advance(source, first, half),
          maskOfRow(code, k.i64(first), code.body.depth, tileDepth));
      k.storeRaw(line, k.advance(target, first, half), 64);
    }
  });
}

/// `count` rounded up to whole tiles.
static Value wholeTiles(TileCode &code, Value count) {
  KernelBuilder &k = code.k;
  return k.mul(k.div(k.add(count, tileDepth - 1), tileDepth), tileDepth);
}

void emitPackValues(TileCode &code, Value from, int64_t stride, Value count,
                    Value to) {
  KernelBuilder &k = code.k;
  Type half = k.b.getI16Type();
  int64_t lanes = code.shape.lanes, columns = code.shape.sumColumns;
  Value zero = k.i64(0);
  k.forLoop(zero, wholeTiles(code, count), 2, [&](Value key) {
    Value target = k.advance(to, k.mul(key, columns), half);
    for (int64_t column = 0; column != columns; column += lanes) {
      auto load = [&](int64_t i) {
        Value number = k.add(key, i);
        Value exists = arith::CmpIOp::create(
            k.b, k.loc, arith::CmpIPredicate::slt, number, count);
        Value left = arith::SelectOp::create(
            k.b, k.loc, exists, k.i64(code.body.valueDepth - column), zero);
        Value row = k.advance(from, k.mul(number, stride), half);
        return k.loadRawMasked(integers(code, lanes, 16),
                               k.advance(row, column, half),
                               k.tailMask(left, lanes));
      };
      k.storeRaw(zip(code, load(0), load(1)),
                 k.advance(target, 2 * column, half), 64);
    }
  });
}

void emitPackWeights(TileCode &code, Value weights, Value count, Value to) {
  KernelBuilder &k = code.k;
  const TileShape &shape = code.shape;
  Type half = k.b.getI16Type();
  Value whole = wholeTiles(code, count);
  k.forLoop(count, whole, 1, [&](Value key) {
    Value row = k.advance(weights, k.mul(key, shape.rows), code.f32());
    for (int64_t lane = 0; lane != shape.rows; lane += shape.lanes) {
      code.store(code.constants(0), row, lane);
    }
  });
  auto rounded = [&](Value row, int64_t lane) -> Value {
    return vector::BitCastOp::create(
        k.b, k.loc, integers(code, shape.lanes, 16),
        k.toStorage(code.load(row, lane), k.b.getBF16Type()));
  };
  k.forLoop(k.i64(0), whole, tileDepth, [&](Value key) {
    Value row = k.advance(weights, k.mul(key, shape.rows), code.f32());
    for (int64_t lane = 0; lane != shape.rows; lane += shape.lanes) {
      SmallVector<Value> words; // of two keys each, of all queries
      for (int64_t i = 0; i != tileDepth; i += 2) {
        Value low = rounded(row, i * shape.rows + lane);
        Value high = rounded(row, (i + 1) * shape.rows + lane);
        words.push_back(asWords(code, zip(code, low, high)));
      }
      Value target = k.advance(to, key, half);
      for (auto [query, line] :
           llvm::enumerate(transpose(code.k, std::move(words)))) {
        k.storeRaw(
            line,
            k.advance(target, (lane + int64_t(query)) * shape.blockKeys, half),
            64);
      }
    }
  });
}

} // namespace minic::cpu
