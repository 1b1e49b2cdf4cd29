// SPDX-License-Identifier: Apache-2.0
//
// Queries are transposed once; then each block of keys is scored, weighed and
// summed while it is cached; at last sums are divided and written.

#include "compiler/target/cpu/attention/TileKernel.h"

#include "compiler/target/cpu/attention/Kernels.h"
#include "compiler/target/cpu/attention/KeyParts.h"
#include "compiler/target/cpu/attention/PackRows.h"
#include "compiler/target/cpu/attention/PackTiles.h"
#include "compiler/target/cpu/attention/TileRows.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/STLExtras.h"

#include <cmath>
#include <tuple>

using namespace mlir;

namespace minic::cpu {

namespace {

/// The kernels that a tile calls.
struct Callees {
  LLVM::LLVMFuncOp scores, lastScores; // null where no keys are left over
  LLVM::LLVMFuncOp weights, values, carefulValues;
};

class TileEmitter : TileRows {
public:
  TileEmitter(OpBuilder &builder, Location loc, const AttentionFusion &body,
              const TileShape &shape, const Callees &callees, int64_t operands,
              int64_t partCount, LLVM::LLVMFuncOp function)
      : TileRows(builder, loc, body, shape, operands, function),
        callees(callees) {
    if (partCount > 1) {
      parts = {partCount, function.getArgument(4), function.getArgument(5),
               function.getArgument(6)};
    }
  }

  void emit() {
    if (shape.usesTiles) {
      packQueries();
    } else {
      copyRows(body.query, addressOfQueries(body.query), k.i64(body.depth),
               shape.at.query, shape.keyColumns);
    }
    clear();
    auto [begin, end] = findKeys();
    if (parts) {
      std::tie(begin, end) = emitKeysOfPart(*this, *parts, begin, end);
    }
    Value last = end;
    k.forLoop(begin, last, shape.blockKeys, [&](Value key) {
      emitBlock(key, k.min(k.i64(shape.blockKeys), k.sub(last, key)));
    });
    if (!parts) {
      finish();
      return;
    }
    Value isLast = emitLeaveState(*this, *parts, scratch);
    auto branch = scf::IfOp::create(k.b, k.loc, isLast);
    OpBuilder::InsertionGuard guard(k.b);
    k.b.setInsertionPointToStart(branch.thenBlock());
    clear();
    emitMergeStates(*this, *parts, scratch);
    finish();
  }

private:
  //===--------------------------------------------------------------------===//
  // Before the first key
  //===--------------------------------------------------------------------===//

  /// `count` elements from `base` on of each query's row of `access`: across
  /// lanes of queries, or as lines of `columns`.
  void copyRows(const Access &access, Value base, Value count, int64_t to,
                int64_t columns) {
    Value target = k.advance(scratch, to, f32());
    RowElements elements = {access.storage, access.strides[3], count};
    if (!shape.lanesAreQueries) {
      k.forLoop(k.i64(0), k.i64(shape.rows), 1, [&](Value row) {
        emitRowCopies(*this, rowOf(access, base, queryAt(row)), 0, elements,
                      k.i64(1), k.advance(target, k.mul(row, columns), f32()),
                      columns);
      });
      return;
    }
    k.forLoop(k.i64(0), k.i64(shape.rows), shape.lanes, [&](Value row) {
      emitColumns(*this, rowsOf(access, base, row), elements,
                  k.advance(target, row, f32()));
    });
  }

  void packQueries() {
    Value base = addressOfQueries(body.query);
    Value tiles = memoryAt(*this, scratch, shape.at.queryTiles);
    k.forLoop(k.i64(0), k.i64(shape.rows), shape.lanes, [&](Value row) {
      emitPackQueries(
          *this, rowsOf(body.query, base, row),
          k.advance(tiles, k.mul(row, tileDepth), k.b.getI16Type()));
    });
  }

  void clear() {
    for (int64_t lane = 0; lane != shape.vectors * shape.lanes;
         lane += shape.lanes) {
      store(constants(-HUGE_VAL), scratch, shape.at.greatest + lane);
      store(constants(-HUGE_VAL), scratch, shape.at.next + lane);
      store(constants(0), scratch, shape.at.total + lane);
    }
    fill(0, shape.at.sums, shape.rows * shape.sumColumns);
  }

  /// `elements` is a multiple of the lanes.
  void fill(double value, int64_t array, int64_t elements) {
    Value start = k.advance(scratch, array, f32());
    k.forLoop(k.i64(0), k.i64(elements), shape.lanes, [&](Value i) {
      store(constants(value), k.advance(start, i, f32()), 0);
    });
  }

  //===--------------------------------------------------------------------===//
  // A block of keys
  //===--------------------------------------------------------------------===//

  void call(LLVM::LLVMFuncOp function, ValueRange arguments) {
    LLVM::CallOp::create(k.b, k.loc, function, arguments);
  }

  /// `count` rows of a key or value from number `key` on: where they are, or
  /// were copied to.
  Value rowsFrom(const Access &access, Value key, Value count, bool copies,
                 int64_t to, int64_t columns, int64_t elements) {
    Value rows = k.advance(addressOfKeys(access), k.mul(key, access.strides[2]),
                           access.storage);
    if (!copies) {
      return rows;
    }
    Value target = k.advance(scratch, to, f32());
    emitRowCopies(*this, rows, access.strides[2],
                  {access.storage, access.strides[3], k.i64(elements)}, count,
                  target, columns);
    return target;
  }

  /// Of key or value number `key`.
  Value rowsAt(const Access &access, Value key) {
    return k.advance(addressOfKeys(access), k.mul(key, access.strides[2]),
                     access.storage);
  }

  void emitTileScores(Value key, Value count) {
    emitPackKeys(*this, rowsAt(body.key, key), body.key.strides[2], count,
                 memoryAt(*this, scratch, shape.at.keyTiles));
    call(callees.scores, {scratch, key, count, maskFor(key, count)});
  }

  void callValues(Value values, Value count) {
    if (!shape.usesTiles) {
      call(callees.values, {scratch, values, count});
      return;
    }
    emitPackValues(*this, values, body.value.strides[2], count,
                   memoryAt(*this, scratch, shape.at.valueTiles));
    call(callees.values, {scratch, count});
  }

  void emitBlock(Value key, Value count) {
    Value keys = rowsFrom(body.key, key, count, shape.copiesKeys, shape.at.keys,
                          shape.keyColumns, body.depth);
    Value values = rowsFrom(body.value, key, count, shape.copiesValues,
                            shape.at.values, shape.sumColumns, body.valueDepth);
    if (shape.usesTiles) {
      emitTileScores(key, count);
    } else {
      emitScores(keys, key, count);
    }
    call(callees.weights, {scratch, count});
    if (!callees.carefulValues) {
      callValues(values, count);
      return;
    }
    Value isCareful = emitHasNotFinite(*this, values, count);
    auto branch = scf::IfOp::create(k.b, k.loc, isCareful,
                                    /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(k.b);
    k.b.setInsertionPointToStart(branch.thenBlock());
    call(callees.carefulValues, {scratch, values, count});
    k.b.setInsertionPointToStart(branch.elseBlock());
    callValues(values, count);
  }

  /// The mask's elements for key number `key`: copied, or where they are, if
  /// all queries have the same.
  Value maskFor(Value key, Value count) {
    if (!body.mask) {
      return scratch;
    }
    const Access &access = *body.mask;
    Value base = k.advance(addressOfQueries(access),
                           k.mul(key, access.strides[3]), access.storage);
    if (!readsMaskInPlace()) {
      copyRows(access, base, count, shape.at.mask, shape.blockKeys);
    }
    return base;
  }
  bool readsMaskInPlace() const {
    return shape.lanesAreQueries && getMaskKind(body) == MaskKind::PerKey;
  }

  void emitScores(Value keys, Value key, Value count) {
    Value mask = maskFor(key, count);
    RowStrides strides = getKeyStrides(body, shape);
    Type storage = shape.copiesKeys ? f32() : body.key.storage;
    if (!shape.lanesAreQueries) {
      fill(-HUGE_VAL, shape.at.laneGreatest, shape.rows * shape.lanes);
    }
    auto callFor = [&](LLVM::LLVMFuncOp function, Value column) {
      Value own = mask;
      if (readsMaskInPlace()) {
        own = k.advance(mask, k.mul(column, body.mask->strides[3]),
                        body.mask->storage);
      }
      call(function,
           {scratch, k.advance(keys, k.mul(column, strides.row), storage),
            k.add(key, column), column, own});
    };
    int64_t left = body.keys % shape.step;
    Value whole = k.mul(k.div(count, shape.step), shape.step);
    k.forLoop(k.i64(0), whole, shape.step,
              [&](Value column) { callFor(callees.scores, column); });
    if (left == 0) {
      return;
    }
    // Only the last of all keys are fewer.
    k.forLoop(whole, count, shape.step,
              [&](Value column) { callFor(callees.lastScores, column); });
  }

  //===--------------------------------------------------------------------===//
  // Behind the last key
  //===--------------------------------------------------------------------===//

  void finish() {
    MathArithmetic m = math();
    for (int64_t lane = 0; lane != shape.vectors * shape.lanes;
         lane += shape.lanes) {
      Value total = load(scratch, shape.at.total + lane);
      Value isNone = m.compare(arith::CmpFPredicate::OEQ, total, 0);
      Value share =
          m.select(isNone, 0, m.op<arith::DivFOp>(constants(1), total));
      store(share, scratch, shape.at.factor + lane);
      if (body.logSumExp) {
        // The logarithm of 0 is -infinity.
        constexpr double kLn2 = 0.693147180559945309;
        Value greatest = finite(load(scratch, shape.at.greatest + lane));
        Value sum = fma(greatest, constants(kLn2), m.op<math::LogOp>(total));
        store(sum, scratch, shape.at.next + lane);
      }
    }
    Value count = k.min(k.sub(k.i64(groupRows()), first), k.i64(shape.rows));
    k.forLoop(k.i64(0), count, 1, [&](Value row) { writeRow(row); });
  }

  void writeRow(Value row) {
    Query query = queryAt(row);
    Value share = loadSplat(k.advance(scratch, row, f32()), shape.at.factor);
    Value sums = k.advance(scratch, shape.at.sums, f32());
    sums = k.advance(sums, k.mul(row, shape.sumColumns), f32());
    Value to = rowOf(body.result, addressOfResult(body.result), query);
    Type storage = body.result.storage;
    for (int64_t e = 0; e < body.valueDepth; e += shape.lanes) {
      int64_t left = body.valueDepth - e;
      Value mask =
          left < shape.lanes ? k.tailMask(k.i64(left), shape.lanes) : Value();
      k.storeVector(math().mul(load(sums, e), share), k.advance(to, e, storage),
                    storage, mask);
    }
    if (body.logSumExp) {
      Value from = k.advance(scratch, shape.at.next, f32());
      Value sum = k.loadRaw(f32(), k.advance(from, row, f32()), 4);
      k.storeRaw(
          sum, rowOf(*body.logSumExp, addressOfResult(*body.logSumExp), query),
          4);
    }
  }

  const Callees &callees;
  std::optional<KeyParts> parts;
};

} // namespace

LLVM::LLVMFuncOp emitTileKernel(OpBuilder &builder, Location loc,
                                ModuleOp device, StringRef name,
                                const AttentionFusion &body,
                                const TileShape &shape, int64_t operands,
                                int64_t parts) {
  OpBuilder::InsertionGuard guard(builder);
  Callees callees;
  auto named = [&](StringRef what) { return (name + "." + what).str(); };
  if (shape.usesTiles) {
    callees.scores =
        emitTileScoreKernel(builder, loc, device, named("scores"), body, shape);
    callees.values =
        emitTileValueKernel(builder, loc, device, named("values"), body, shape);
  } else {
    auto emitScores = shape.lanesAreQueries ? emitScoreKernel : emitDotKernel;
    callees.scores = emitScores(builder, loc, device, named("scores"), body,
                                shape, shape.step);
    if (int64_t left = body.keys % shape.step) {
      callees.lastScores = emitScores(builder, loc, device,
                                      named("last_scores"), body, shape, left);
    }
    callees.values = emitValueKernel(builder, loc, device, named("values"),
                                     body, shape, /*skipsZeros=*/false);
  }
  callees.weights =
      emitWeightKernel(builder, loc, device, named("weights"), body, shape);
  // What a query leaves out has the weight 0, whatever its value is.
  if (body.leavesOutKeys()) {
    callees.carefulValues =
        emitValueKernel(builder, loc, device, named("careful_values"), body,
                        shape, /*skipsZeros=*/true);
  }
  Type pointer = LLVM::LLVMPointerType::get(builder.getContext());
  Type i64 = builder.getI64Type();
  SmallVector<Type> arguments = {pointer, pointer, i64, i64};
  if (parts > 1) {
    arguments.append({i64, pointer, pointer});
  }
  LLVM::LLVMFuncOp function =
      createInternalFunction(builder, loc, device, name, arguments);
  TileEmitter(builder, loc, body, shape, callees, operands, parts, function)
      .emit();
  return function;
}

} // namespace minic::cpu
