// SPDX-License-Identifier: Apache-2.0
//
// Row by row, walk by walk: vectors of columns, several at a time, each with a
// state of its own per reduction, so that their latencies overlap. Or one walk,
// piece by piece.

#include "compiler/target/cpu/rows/EmitRows.h"

#include "compiler/target/cpu/RunShare.h"
#include "compiler/target/cpu/rows/LaneReduction.h"
#include "compiler/target/cpu/rows/RowMemory.h"
#include "compiler/target/cpu/rows/RowPieces.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace minic::cpu {

using graph::PointwiseOpInterface;
using graph::ReductionOpInterface;

namespace {

/// Vectors at a time. Without AVX-512 a vector has half the lanes, and there
/// are half the registers.
constexpr int64_t kUnroll = 4;

class Emitter {
public:
  Emitter(KernelBuilder &k, const RowFusion &rows, const RowWalks &walks,
          RowMemory &memory, int64_t lanes)
      : k(k), rows(rows), walks(walks), memory(memory), lanes(lanes),
        perRow(rows.nodes.size()), spread(rows.nodes.size()) {}

  void emitRow(Value row) {
    memory.enterRow(row);
    computePerRow(0);
    Range all{k.i64(0), k.i64(splitExtent()), /*isWhole=*/true};
    for (auto [number, walk] : llvm::enumerate(walks.walks)) {
      setReduced(walk, emitWalk(walk, all));
      computePerRow(int64_t(number) + 1);
    }
    storePerRow();
  }

  /// Walk number `number` over piece `piece` of `count` of a row, whose earlier
  /// walks have ended.
  void emitPiece(size_t number, Value row, Value piece, int64_t count,
                 RowPieces &pieces) {
    memory.enterRow(row);
    readWalks(number, row, pieces);
    auto size = int64_t(llvm::divideCeil(splitExtent(), count));
    if (lines() == 1) {
      // Pieces begin with whole steps.
      size = int64_t(llvm::alignTo(size, lanes * kUnroll));
    }
    Value first = k.mul(piece, size);
    Range range{first, k.min(k.add(first, size), k.i64(splitExtent()))};
    const RowWalk &walk = walks.walks[number];
    std::vector<ReductionState> states = emitWalk(walk, range);
    for (auto [node, state] : llvm::zip_equal(walk.reductions, states)) {
      pieces.store(node, row, piece, state);
    }
  }

  /// What is known of a row when all its walks have ended.
  void emitEnd(Value row, RowPieces &pieces) {
    memory.enterRow(row);
    readWalks(walks.walks.size(), row, pieces);
    storePerRow();
  }

private:
  /// [first, end) of the lines of a row, or of the columns of its only line.
  struct Range {
    Value first, end;
    bool isWhole = false;
  };

  int64_t lines() const {
    return llvm::product_of(rows.columnExtents().drop_back());
  }
  /// What is cut into pieces: lines, or the columns of the only line.
  int64_t splitExtent() const {
    return lines() == 1 ? rows.extents.back() : lines();
  }

  void readWalks(size_t count, Value row, RowPieces &pieces) {
    computePerRow(0);
    for (size_t i = 0; i != count; ++i) {
      std::vector<ReductionState> states;
      for (size_t node : walks.walks[i].reductions) {
        states.push_back(pieces.merge(node, row));
      }
      setReduced(walks.walks[i], states);
      computePerRow(int64_t(i) + 1);
    }
  }

  void storePerRow() {
    for (auto [i, result] : llvm::enumerate(rows.results)) {
      if (isPerRow(rows, result)) {
        memory.storePerRow(i, perRow[result.node]);
      }
    }
  }

  /// The states of all reductions of a walk, one after the other, for each of
  /// the vectors at a time.
  using States = SmallVector<Value>;

  /// What is known after `pass` passes and is no reduction.
  void computePerRow(int64_t pass) {
    for (auto [i, node] : llvm::enumerate(rows.nodes)) {
      if (!node.isPerRow || node.pass != pass) {
        continue;
      }
      if (!node.op) {
        perRow[i] = memory.loadPerRow(node.read);
      } else if (!rows.isReduction(node)) {
        auto operands = llvm::map_to_vector(
            node.operands, [&](size_t operand) { return perRow[operand]; });
        perRow[i] =
            cast<PointwiseOpInterface>(node.op).emitScalar(k.b, operands);
      }
      spread[i] = k.splat(perRow[i], lanes);
    }
  }

  /// The states, scalars, of the walk's reductions over a part of a row.
  std::vector<ReductionState> emitWalk(const RowWalk &walk, Range range) {
    SmallVector<int64_t> shape = {lanes};
    States initial;
    for (int64_t v = 0; v != kUnroll; ++v) {
      for (size_t i : walk.reductions) {
        llvm::append_range(initial, opOf(i).emitInit(k.b, shape));
      }
    }
    if (lines() == 1) {
      return mergeVectors(walk, emitLine(walk, k.i64(0), range, initial));
    }
    Range line{k.i64(0), k.i64(rows.extents.back()), /*isWhole=*/true};
    return mergeVectors(walk, k.forLoop(range.first, range.end, 1, initial,
                                        [&](Value number, ValueRange carried) {
                                          return emitLine(walk, number, line,
                                                          carried);
                                        }));
  }

  States emitLine(const RowWalk &walk, Value line, Range range,
                  ValueRange carried) {
    memory.enterLine(line);
    int64_t columns = rows.extents.back(), step = lanes * kUnroll;
    int64_t aligned = columns / step * step;
    States states(carried);
    if (aligned > 0) {
      states = k.forLoop(range.first, k.min(range.end, k.i64(aligned)), step,
                         states, [&](Value first, ValueRange before) {
                           return emitColumns(walk, first, step, before);
                         });
    }
    auto rest = [&] {
      return emitColumns(walk, k.i64(aligned), columns - aligned, states);
    };
    if (aligned != columns) {
      states = range.isWhole ? rest() : ifHas(range, aligned, states, rest);
    }
    return states;
  }

  /// What `then` gives where `range` has the column `column`, else `otherwise`.
  States ifHas(Range range, int64_t column, const States &otherwise,
               llvm::function_ref<States()> then) {
    auto compare = [&](Value lhs, Value rhs) -> Value {
      return arith::CmpIOp::create(k.b, k.loc, arith::CmpIPredicate::sle, lhs,
                                   rhs);
    };
    Value begins = compare(range.first, k.i64(column));
    Value ends = compare(k.i64(column + 1), range.end);
    Value isInside = arith::AndIOp::create(k.b, k.loc, begins, ends);
    auto branch =
        scf::IfOp::create(k.b, k.loc, TypeRange(ValueRange(otherwise)),
                          isInside, /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(k.b);
    k.b.setInsertionPointToStart(branch.thenBlock());
    States values = then();
    if (!values.empty()) {
      scf::YieldOp::create(k.b, k.loc, values);
      k.b.setInsertionPointToStart(branch.elseBlock());
      scf::YieldOp::create(k.b, k.loc, otherwise);
    }
    return States(branch.getResults());
  }

  /// At most `kUnroll` vectors that hold `count` columns.
  States emitColumns(const RowWalk &walk, Value first, int64_t count,
                     ValueRange carried) {
    vectors.clear();
    for (int64_t at = 0; at < count; at += lanes) {
      vectors.push_back(
          {k.add(first, at), std::min<int64_t>(lanes, count - at)});
    }
    values.assign(rows.nodes.size(), {});
    for (size_t i : walk.reloaded) {
      for (const Columns &columns : vectors) {
        values[i].push_back(memory.reload(i, columns));
      }
    }
    for (size_t i : walk.computed) {
      compute(i);
    }
    for (size_t i : walk.results) {
      for (size_t v = 0; v != vectors.size(); ++v) {
        memory.store(i, vectors[v], valueOf(rows.results[i].node, v));
      }
    }
    return combine(walk, carried);
  }

  void compute(size_t i) {
    const RowFusion::Node &node = rows.nodes[i];
    for (size_t v = 0; v != vectors.size(); ++v) {
      values[i].push_back(node.op
                              ? cast<PointwiseOpInterface>(node.op).emitScalar(
                                    k.b, operandsOf(node, v))
                              : memory.load(node.read, vectors[v]));
      if (walks.isKept(i)) {
        memory.keep(i, vectors[v], values[i][v]);
      }
    }
  }

  Value valueOf(size_t node, size_t vector) {
    return rows.nodes[node].isPerRow ? spread[node] : values[node][vector];
  }

  SmallVector<Value> operandsOf(const RowFusion::Node &node, size_t vector) {
    return llvm::map_to_vector(node.operands, [&](size_t operand) {
      return valueOf(operand, vector);
    });
  }

  ReductionOpInterface opOf(size_t node) {
    return cast<ReductionOpInterface>(rows.nodes[node].op);
  }

  /// How many values the state of a reduction has.
  size_t stateSize(size_t node) { return opOf(node).emitInit(k.b, {}).size(); }

  States combine(const RowWalk &walk, ValueRange carried) {
    States next;
    for (const auto &[v, columns] : llvm::enumerate(vectors)) {
      Value mask = memory.mask(columns);
      for (size_t i : walk.reductions) {
        size_t size = stateSize(i);
        SmallVector<Value> after = opOf(i).emitCombine(
            k.b, carried.take_front(size), operandsOf(rows.nodes[i], v),
            positions(opOf(i), columns));
        for (auto [was, is] : llvm::zip(carried, after)) {
          next.push_back(
              mask ? arith::SelectOp::create(k.b, k.loc, mask, is, was) : is);
        }
        carried = carried.drop_front(size);
      }
    }
    llvm::append_range(next, carried);
    return next;
  }

  /// The index of each lane along every iterator that `op` reduces.
  SmallVector<Value> positions(ReductionOpInterface op,
                               const Columns &columns) {
    if (!op.needsIndices()) {
      return {};
    }
    auto space =
        cast<graph::FusibleOpInterface>(op.getOperation()).getIterationSpace();
    auto extents = ArrayRef(space.extents).drop_front(space.parallelCount());
    auto type = VectorType::get(lanes, k.b.getI64Type());
    auto lane = llvm::to_vector(llvm::seq<int64_t>(0, lanes));
    Value rest = arith::AddIOp::create(
        k.b, k.loc, k.splat(memory.numberOf(columns), lanes),
        arith::ConstantOp::create(
            k.b, k.loc, DenseElementsAttr::get(type, ArrayRef<int64_t>(lane))));
    SmallVector<Value> indices(extents.size());
    for (size_t d = extents.size(); d-- > 1;) {
      Value extent = k.splat(k.i64(extents[d]), lanes);
      indices[d] = arith::RemUIOp::create(k.b, k.loc, rest, extent);
      rest = arith::DivUIOp::create(k.b, k.loc, rest, extent);
    }
    indices[0] = rest;
    return indices;
  }

  /// From the states of all vectors to one for each reduction.
  std::vector<ReductionState> mergeVectors(const RowWalk &walk,
                                           const States &all) {
    ValueRange states = all;
    std::vector<ReductionState> merged;
    SmallVector<SmallVector<ReductionState>> parts(walk.reductions.size());
    for (int64_t v = 0; v != kUnroll; ++v) {
      for (auto [own, i] : llvm::zip_equal(parts, walk.reductions)) {
        size_t size = stateSize(i);
        own.emplace_back(states.take_front(size));
        states = states.drop_front(size);
      }
    }
    for (auto [own, i] : llvm::zip_equal(parts, walk.reductions)) {
      ReductionOpInterface op = opOf(i);
      // Vectors that a short row has not have the state of no columns.
      int64_t used = llvm::divideCeil(rows.extents.back(), lanes);
      own.truncate(size_t(std::min(used, kUnroll)));
      merged.push_back(mergeLanes(k, op, mergeStates(k, op, std::move(own))));
    }
    return merged;
  }

  /// Ends the reductions of `walk` with the states of a whole row.
  void setReduced(const RowWalk &walk,
                  const std::vector<ReductionState> &states) {
    for (auto [i, state] : llvm::zip_equal(walk.reductions, states)) {
      SmallVector<Value> biases(opOf(i)->getNumOperands());
      perRow[i] = opOf(i).emitFinish(k.b, state, biases)[0];
    }
  }

  KernelBuilder &k;
  const RowFusion &rows;
  const RowWalks &walks;
  RowMemory &memory;
  const int64_t lanes;
  SmallVector<Value> perRow, spread;      // by node, as scalars and as vectors
  SmallVector<Columns> vectors;           // at a time
  std::vector<SmallVector<Value>> values; // by node, of each of them
};

} // namespace

void emitRows(ModuleOp device, Location loc, ArrayAttr names,
              const RowFusion &rows, const RowSchedule &schedule,
              const DeviceProfile &profile, int64_t operands,
              const std::optional<RunBound> &bound) {
  OpBuilder builder(device.getContext());
  RowWalks walks = walksOf(rows, schedule);
  int64_t lanes = profile.has("avx512f") ? 16 : 8, count = schedule.pieces;
  for (auto [number, name] : llvm::enumerate(names.getAsRange<StringAttr>())) {
    KernelEntry entry =
        KernelEntry::create(builder, loc, device, name.getValue());
    KernelBuilder k(builder, loc);
    RowMemory memory(k, rows, walks, lanes, entry, operands);
    Emitter emitter(k, rows, walks, memory, lanes);
    if (count == 1) {
      auto bounded =
          BoundedRows::get(bound, operands + int64_t(rows.results.size()));
      shareTilesOfRun(k, entry, bounded, rows.rows(), schedule.rows);
      k.forLoop(entry.begin, entry.end, 1, [&](Value tile) {
        Value first = k.mul(tile, schedule.rows);
        Value end = k.min(k.add(first, schedule.rows), k.i64(rows.rows()));
        k.forLoop(first, end, 1, [&](Value row) { emitter.emitRow(row); });
      });
      continue;
    }
    int64_t last = operands + int64_t(rows.results.size());
    Value workspace = k.argPointer(entry.args, last);
    RowPieces pieces(k, rows, count, workspace);
    Value kept =
        k.advance(workspace, keptAt(rows, schedule), builder.getI8Type());
    auto keepOf = [&](Value row) {
      memory.keepIn(k.advance(kept, k.mul(row, scratchBytes(rows, walks)),
                              builder.getI8Type()));
    };
    k.forLoop(entry.begin, entry.end, 1, [&, number = number](Value tile) {
      if (number == walks.walks.size()) {
        emitter.emitEnd(tile, pieces);
      } else {
        Value row = k.div(tile, count);
        keepOf(row);
        emitter.emitPiece(number, row, k.rem(tile, count), count, pieces);
      }
    });
  }
}

} // namespace minic::cpu
