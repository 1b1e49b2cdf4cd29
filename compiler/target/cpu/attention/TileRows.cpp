// SPDX-License-Identifier: Apache-2.0
//
// Queries that share their keys are numbered head by head. Each sees the keys
// from one number to another: whatever leaves out keys by their number does so
// at an end.

#include "compiler/target/cpu/attention/TileRows.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace minic::cpu {

TileRows::TileRows(OpBuilder &builder, Location loc,
                   const AttentionFusion &body, const TileShape &shape,
                   int64_t operands, LLVM::LLVMFuncOp function)
    : TileCode(builder, loc, body, shape), args(function.getArgument(0)),
      scratch(function.getArgument(1)), first(function.getArgument(3)),
      batch(k.div(function.getArgument(2), body.keyHeads)),
      keyHead(k.rem(function.getArgument(2), body.keyHeads)),
      operands(operands) {}

//===----------------------------------------------------------------------===//
// Addresses
//===----------------------------------------------------------------------===//

/// `heads` of the access belong to a head of the keys; 0 for what has none.
Value TileRows::addressOf(const Access &access, int64_t argument,
                          int64_t heads) {
  Value pointer = k.argPointer(args, argument);
  pointer = k.advance(pointer, access.offset, access.storage);
  Value at = k.add(k.mul(batch, access.strides[0]),
                   k.mul(keyHead, heads * access.strides[1]));
  return k.advance(pointer, at, access.storage);
}

Value TileRows::addressOfKeys(const Access &operand) {
  return addressOf(operand, operand.argument, 1);
}

Value TileRows::addressOfQueries(const Access &operand) {
  return addressOf(operand, operand.argument, body.headsPerKey());
}

Value TileRows::addressOfResult(const Access &result) {
  return addressOf(result, operands + result.argument, body.headsPerKey());
}

Value TileRows::rowOf(const Access &access, Value base, const Query &query) {
  Value at = k.add(k.mul(query.head, access.strides[1]),
                   k.mul(query.row, access.strides[2]));
  return k.advance(base, at, access.storage);
}

Query TileRows::queryAt(Value row) {
  Value number = k.min(k.add(first, row), k.i64(groupRows() - 1));
  return body.headsPerKey() == 1
             ? Query{k.i64(0), number}
             : Query{k.div(number, body.rows), k.rem(number, body.rows)};
}

SmallVector<Value> TileRows::rowsOf(const Access &access, Value base,
                                    Value row) {
  SmallVector<Value> rows;
  for (int64_t lane = 0; lane != shape.lanes; ++lane) {
    rows.push_back(rowOf(access, base, queryAt(k.add(row, lane))));
  }
  return rows;
}

//===----------------------------------------------------------------------===//
// Which keys
//===----------------------------------------------------------------------===//

Value TileRows::least(Value x, Value y) {
  return arith::MinSIOp::create(k.b, k.loc, x, y);
}
Value TileRows::integers(int64_t value) {
  return math().integer(math().i32(), value);
}

/// Keys that there are, i64.
Value TileRows::keyLength() {
  if (!body.keyLength) {
    return k.i64(body.keys);
  }
  const Access &access = *body.keyLength;
  Value length = k.loadScalar(addressOf(access, int64_t(access.argument), 0),
                              access.storage);
  if (!access.storage.isInteger(64)) {
    length = arith::ExtSIOp::create(k.b, k.loc, k.b.getI64Type(), length);
  }
  return k.min(k.max(length, k.i64(0)), k.i64(body.keys));
}

/// Where each query of a vector is among the keys.
Value TileRows::positions(int64_t lane, Value length) {
  auto lanes = llvm::to_vector(
      llvm::seq<int32_t>(int32_t(lane), int32_t(lane + shape.lanes)));
  auto type = VectorType::get(shape.lanes, k.b.getI32Type());
  Value row = arith::ConstantOp::create(
      k.b, k.loc, DenseElementsAttr::get(type, ArrayRef<int32_t>(lanes)));
  row = arith::AddIOp::create(k.b, k.loc, row, splat(first));
  row = least(row, integers(groupRows() - 1));
  if (body.headsPerKey() > 1) {
    row = arith::RemUIOp::create(k.b, k.loc, row, integers(body.rows));
  }
  return body.causal == graph::Causal::LowerRight
             ? arith::AddIOp::create(k.b, k.loc, row,
                                     splat(k.sub(length, k.i64(body.rows))))
             : row;
}

Value TileRows::splat(Value i64) {
  return k.splat(arith::TruncIOp::create(k.b, k.loc, k.b.getI32Type(), i64),
                 shape.lanes);
}

std::pair<Value, Value> TileRows::findKeys() {
  bool isCausal = body.causal != graph::Causal::None;
  if (!isCausal && !body.window && !body.keyLength) {
    return {k.i64(0), k.i64(body.keys)};
  }
  Value length = keyLength(), lowest, highest;
  // Wider than all keys and queries is no window.
  int64_t window =
      body.window ? std::min(*body.window, body.keys + body.rows + 1) : 0;
  for (int64_t lane = 0; lane != shape.vectors * shape.lanes;
       lane += shape.lanes) {
    Value end = splat(length), begin = integers(0);
    Value position = positions(lane, length);
    auto shifted = [&](int64_t by) {
      return arith::AddIOp::create(k.b, k.loc, position, integers(by));
    };
    if (isCausal) {
      end = least(end, shifted(1));
    }
    if (body.window) {
      begin = arith::MaxSIOp::create(k.b, k.loc, begin, shifted(1 - window));
      end = least(end, shifted(window));
    }
    store(begin, scratch, shape.at.first + lane);
    store(end, scratch, shape.at.end + lane);
    lowest = lowest ? least(lowest, begin) : begin;
    highest = highest ? arith::MaxSIOp::create(k.b, k.loc, highest, end) : end;
  }
  auto reduce = [&](vector::CombiningKind kind, Value bounds) -> Value {
    Value one = vector::ReductionOp::create(k.b, k.loc, kind, bounds);
    return arith::ExtSIOp::create(k.b, k.loc, k.b.getI64Type(), one);
  };
  Value begin = reduce(vector::CombiningKind::MINSI, lowest);
  Value end = k.max(reduce(vector::CombiningKind::MAXSI, highest), k.i64(0));
  begin = k.mul(k.div(begin, shape.step), shape.step);
  end = k.mul(k.div(k.add(end, shape.step - 1), shape.step), shape.step);
  return {begin, k.min(end, k.i64(body.keys))};
}

} // namespace minic::cpu
