// SPDX-License-Identifier: Apache-2.0
//
// Tiles, rows, then columns: four vectors at a time, the rest masked.

#include "compiler/target/cpu/pointwise/EmitPointwise.h"

#include "compiler/target/codegen/GatheredIndex.h"
#include "compiler/target/codegen/StatusReport.h"
#include "compiler/target/cpu/RunShare.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace minic::cpu {

namespace {

constexpr int64_t kLanes = 16;
/// Four independent vectors hide the latency of FMA chains; a body with more
/// nodes than this has enough independent work in one vector, and its code is
/// long.
constexpr size_t kMaxUnrolledNodes = 24;

class Emitter {
public:
  Emitter(KernelBuilder &k, const PointwiseLoops &loops,
          const PointwiseTiles &tiles, ArrayRef<Type> resultTypes,
          const std::optional<RunBound> &bound)
      : k(k), loops(loops), tiles(tiles), resultTypes(resultTypes),
        bound(bound), unroll(loops.nodes.size() <= kMaxUnrolledNodes ? 4 : 1) {}

  void emit(KernelEntry entry, int64_t operands) {
    for (const PointwiseLoops::Read &read : loops.reads) {
      reads.push_back(k.argPointer(entry.args, read.argument));
    }
    for (size_t i = 0; i != resultTypes.size(); ++i) {
      results.push_back(k.argPointer(entry.args, operands + int64_t(i)));
    }
    if (loops.gathers()) {
      statusWord =
          k.argPointer(entry.args, operands + int64_t(resultTypes.size()));
    }
    if (auto rows = BoundedRows::get(bound, operands + addresses())) {
      shareTiles(k, entry, tilesOf(rows->count(k, entry, elements())),
                 tiles.count());
    }
    k.forLoop(entry.begin, entry.end, 1, [&](Value tile) {
      Value row = k.mul(k.div(tile, tiles.tilesPerRow), tiles.rowsPerTile);
      Value column =
          k.mul(k.rem(tile, tiles.tilesPerRow), tiles.columnsPerTile);
      if (tiles.rowsPerTile == 1) {
        emitRow(row, column);
        return;
      }
      Value end = k.min(k.add(row, tiles.rowsPerTile), k.i64(tiles.rows));
      if (loops.isTransposing()) {
        emitBlock(row, end, column);
        return;
      }
      k.forLoop(row, end, 1, [&](Value r) { emitRow(r, column); });
    });
  }

private:
  int64_t elements() const { return tiles.rows * tiles.columns; }
  /// Results, and the status word.
  int64_t addresses() const {
    return int64_t(resultTypes.size()) + (loops.gathers() ? 1 : 0);
  }

  /// How many tiles the first `needed` elements are in: those that any of these
  /// rows has, or of a single row those that begin ahead of its end.
  Value tilesOf(Value needed) {
    auto ceilDiv = [&](Value value, int64_t by) {
      return k.div(k.add(value, by - 1), by);
    };
    if (tiles.rows == 1) {
      return ceilDiv(needed, tiles.columnsPerTile);
    }
    Value rows = ceilDiv(needed, tiles.columns);
    return k.mul(ceilDiv(rows, tiles.rowsPerTile), tiles.tilesPerRow);
  }

  /// Columns [first, first + columnsPerTile) of one row, clipped.
  void emitRow(Value row, Value first) {
    enterRow(row);
    int64_t step = kLanes * unroll;
    Value end = k.min(k.add(first, tiles.columnsPerTile), k.i64(tiles.columns));
    bool isWhole = tiles.tilesPerRow == 1;
    int64_t aligned = tiles.columns / step * step;
    if (!isWhole || aligned > 0) {
      // All tiles but the last of a row are a multiple of the step wide.
      Value alignedEnd = k.min(end, k.i64(aligned));
      k.forLoop(first, alignedEnd, step, [&](Value column) {
        emitVectors(column, unroll, /*masked=*/false);
      });
      first = k.max(first, alignedEnd);
    }
    if (aligned != tiles.columns) {
      k.forLoop(first, end, kLanes,
                [&](Value column) { emitVectors(column, 1, /*masked=*/true); });
    }
  }

  /// Rows [row, end) of columnsPerTile columns, one vector below the other.
  void emitBlock(Value row, Value end, Value first) {
    Value last =
        k.min(k.add(first, tiles.columnsPerTile), k.i64(tiles.columns));
    k.forLoop(first, last, kLanes, [&](Value column) {
      k.forLoop(row, end, 1, [&](Value r) {
        enterRow(r);
        emitVectors(column, 1, /*masked=*/tiles.columns % kLanes != 0);
      });
    });
  }

  /// Finds where the row begins in every operand and result, and loads what is
  /// one value per row.
  void enterRow(Value row) {
    size_t outer = loops.extents.size() - 1;
    SmallVector<Value> indices(outer);
    Value rest = row;
    for (size_t d = outer; d-- > 0;) {
      indices[d] = d == 0 ? rest : k.rem(rest, loops.extents[d]);
      rest = k.div(rest, loops.extents[d]);
    }
    rowReads.clear();
    rowValues.clear();
    for (auto [read, base] : llvm::zip_equal(loops.reads, reads)) {
      Value offset = k.i64(read.offset);
      for (size_t d = 0; d != outer; ++d) {
        offset = k.add(offset, k.mul(indices[d], read.strides[d]));
      }
      if (read.gathered) {
        offset = k.add(offset, emitGathered(*read.gathered));
      }
      Value pointer = k.advance(base, offset, read.storage);
      rowReads.push_back(pointer);
      rowValues.push_back(
          read.strides.back() == 0
              ? k.splat(k.loadScalar(pointer, read.storage), kLanes)
              : Value());
    }
    rowResults.clear();
    for (auto [type, base] : llvm::zip_equal(resultTypes, results)) {
      rowResults.push_back(k.advance(base, k.mul(row, tiles.columns), type));
    }
  }

  /// Where in the table the present row begins.
  Value emitGathered(const PointwiseLoops::Gathered &gathered) {
    Type storage = loops.reads[gathered.index].storage;
    GatheredIndex index = GatheredIndex::get(
        k, k.loadScalar(rowReads[gathered.index], storage), gathered.extent);
    emitReport(k, statusWord, index.isOutside);
    return k.mul(index.value, gathered.stride);
  }

  Value load(size_t index, Value column, Value mask) {
    if (rowValues[index]) {
      return rowValues[index];
    }
    const PointwiseLoops::Read &read = loops.reads[index];
    int64_t stride = read.strides.back();
    if (stride == 1) {
      return k.loadVector(k.advance(rowReads[index], column, read.storage),
                          read.storage, kLanes, mask);
    }
    // Element by element; lanes past the end repeat the last element.
    SmallVector<Value> elements;
    for (int64_t lane = 0; lane != kLanes; ++lane) {
      Value at = k.add(column, lane);
      if (mask) {
        at = k.min(at, k.i64(tiles.columns - 1));
      }
      elements.push_back(k.loadScalar(
          k.advance(rowReads[index], k.mul(at, stride), read.storage),
          read.storage));
    }
    auto type = VectorType::get(kLanes, elements.front().getType());
    return vector::FromElementsOp::create(k.b, k.loc, type, elements);
  }

  /// `count` vectors from `column` on. Nodes are emitted one after the other
  /// for all vectors, so that their latencies overlap.
  void emitVectors(Value column, int64_t count, bool masked) {
    SmallVector<Value> columns, masks;
    for (int64_t i = 0; i != count; ++i) {
      columns.push_back(k.add(column, i * kLanes));
      masks.push_back(
          masked ? k.tailMask(k.sub(k.i64(tiles.columns), columns[i]), kLanes)
                 : Value());
    }
    std::vector<SmallVector<Value>> values(count);
    for (const PointwiseLoops::Node &node : loops.nodes) {
      for (int64_t i = 0; i != count; ++i) {
        if (!node.op) {
          values[i].push_back(load(node.read, columns[i], masks[i]));
          continue;
        }
        auto operands = llvm::map_to_vector(
            node.operands, [&](size_t operand) { return values[i][operand]; });
        values[i].push_back(
            cast<graph::PointwiseOpInterface>(node.op).emitScalar(k.b,
                                                                  operands));
      }
    }
    for (auto [write, type, pointer] :
         llvm::zip_equal(loops.results, resultTypes, rowResults)) {
      for (int64_t i = 0; i != count; ++i) {
        k.storeVector(values[i][write.node],
                      k.advance(pointer, columns[i], type), type, masks[i]);
      }
    }
  }

  KernelBuilder &k;
  const PointwiseLoops &loops;
  const PointwiseTiles &tiles;
  ArrayRef<Type> resultTypes;
  const std::optional<RunBound> bound;
  const int64_t unroll;
  Value statusWord; // null where nothing is gathered
  SmallVector<Value> reads, results;
  SmallVector<Value> rowReads, rowResults;
  SmallVector<Value> rowValues; // null where it varies along the row
};

} // namespace

void emitPointwise(ModuleOp device, Location loc, StringRef name,
                   const PointwiseLoops &loops, const PointwiseTiles &tiles,
                   int64_t operands, ArrayRef<Type> resultTypes,
                   const std::optional<RunBound> &bound) {
  OpBuilder builder(device.getContext());
  KernelEntry entry = KernelEntry::create(builder, loc, device, name);
  KernelBuilder k(builder, loc);
  Emitter(k, loops, tiles, resultTypes, bound).emit(entry, operands);
}

} // namespace minic::cpu
