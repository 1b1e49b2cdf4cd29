// SPDX-License-Identifier: Apache-2.0
//
// Values of columns are computed where they are first asked for, and kept for
// later passes with them.

#include "compiler/target/cuda/rows/RowValues.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace minic::cuda {

using graph::PointwiseOpInterface;
using graph::ReductionOpInterface;

SmallVector<size_t> RowValues::reductionsOf(int64_t pass) const {
  SmallVector<size_t> found;
  for (auto [i, node] : llvm::enumerate(rows.nodes)) {
    if (rows.isReduction(node) && node.pass == pass + 1) {
      found.push_back(i);
    }
  }
  return found;
}

void RowValues::setReduced(ArrayRef<size_t> reductions,
                           const RowMerger::States &states) {
  ArrayRef<SmallVector<Value>> rest = states;
  for (size_t i : reductions) {
    ReductionOpInterface op = reduction(i);
    SmallVector<Value> biases(op->getNumOperands()), finished;
    for (const auto &state : rest.take_front(size_t(schedule.across))) {
      finished.push_back(op.emitFinish(k.b, state, biases)[0]);
    }
    rest = rest.drop_front(size_t(schedule.across));
    perRow[i] = schedule.across == 1 ? finished[0] : gather(finished);
  }
}

SmallVector<Columns> RowValues::columnsFrom(Value first) {
  SmallVector<Columns> made;
  for (int64_t i = 0; i != schedule.unroll; ++i) {
    Columns each;
    each.raw.resize(rows.nodes.size());
    each.values.resize(rows.nodes.size());
    each.column = k.add(k.add(first, k.mul(own, schedule.vector)),
                        i * schedule.rowThreads() * schedule.vector);
    if (!isExact && !isAlwaysInside(i)) {
      each.isInside = k.lessThan(each.column, rows.columns());
      // Outside anything may be read.
      each.column = arith::SelectOp::create(k.b, k.loc, each.isInside,
                                            each.column, k.i32(0));
    }
    made.push_back(std::move(each));
  }
  return made;
}

/// Of a row that is kept.
bool RowValues::isAlwaysInside(int64_t vector) const {
  return schedule.keeps &&
         (vector + 1) * schedule.rowThreads() * schedule.vector <=
             rows.columns();
}

void RowValues::load(MutableArrayRef<Columns> all, ArrayRef<size_t> nodes) {
  for (size_t node : nodes) {
    for (Columns &columns : all) {
      load(node, columns);
    }
  }
}

SmallVector<size_t> RowValues::readBy(int64_t from, int64_t to) const {
  std::vector<bool> needed(rows.nodes.size());
  for (int64_t pass = from; pass != to; ++pass) {
    for (size_t node : reductionsOf(pass)) {
      findNeeded(node, needed);
    }
    for (const RowFusion::Result &result : rows.results) {
      if (!rows.isPerRow(result) && rows.nodes[result.node].pass == pass) {
        findNeeded(result.node, needed);
      }
    }
  }
  SmallVector<size_t> found;
  for (auto [i, node] : llvm::enumerate(rows.nodes)) {
    if (needed[i] && !node.op && !node.isPerRow) {
      found.push_back(i);
    }
  }
  return found;
}

/// Marks `node`, which may be a reduction, and what it needs at each column.
void RowValues::findNeeded(size_t node, std::vector<bool> &needed) const {
  for (size_t operand : rows.nodes[node].operands) {
    if (!rows.nodes[operand].isPerRow && !needed[operand]) {
      findNeeded(operand, needed);
    }
  }
  needed[node] = true;
}

SmallVector<size_t> RowValues::loadedAhead(int64_t pass) const {
  constexpr int64_t mostBytes = 128;
  SmallVector<size_t> nodes = readBy(pass, pass + 1);
  int64_t bytes = 0;
  for (size_t node : nodes) {
    const RowFusion::Read &read = rows.reads[rows.nodes[node].read];
    bytes += kernel::getElementBytes(read.storage) * schedule.lanes() *
             schedule.unroll;
  }
  return bytes <= mostBytes ? nodes : SmallVector<size_t>();
}

void RowValues::load(size_t node, Columns &columns) {
  columns.raw[node] =
      memory.load(rows.nodes[node].read, columns.column, schedule.vector);
}

/// Of the rows of a thread.
Value RowValues::gather(ArrayRef<Value> rows) {
  auto type = VectorType::get(int64_t(rows.size()), rows[0].getType());
  return vector::FromElementsOp::create(k.b, k.loc, type, rows);
}

Value RowValues::spread(Value ofRow) {
  return schedule.vector == 1 ? ofRow : k.splat(ofRow, schedule.vector);
}

Value RowValues::valueOf(size_t i, Columns &columns) {
  const RowFusion::Node &node = rows.nodes[i];
  if (columns.values[i]) {
    return columns.values[i];
  }
  Value value;
  if (node.isPerRow) {
    value = spread(perRow[i]);
  } else if (!node.op) {
    if (!columns.raw[i]) {
      load(i, columns);
    }
    value = k.toCompute(columns.raw[i], rows.reads[node.read].storage);
  } else {
    SmallVector<Value> operands;
    for (size_t operand : node.operands) {
      operands.push_back(valueOf(operand, columns));
    }
    value = isDivisionByRow(node)
                ? divide(operands[0], divisors[node.operands[1]])
                : cast<PointwiseOpInterface>(node.op).emitScalar(k.b, operands);
  }
  return columns.values[i] = value;
}

void RowValues::computePerRow(int64_t pass) {
  for (auto [i, node] : llvm::enumerate(rows.nodes)) {
    if (!node.isPerRow || node.pass != pass || rows.isReduction(node)) {
      continue;
    }
    if (!node.op) {
      Type storage = rows.reads[node.read].storage;
      perRow[i] = k.toCompute(memory.load(node.read, k.i32(0), 1), storage);
      continue;
    }
    auto operands = llvm::map_to_vector(
        node.operands, [&](size_t operand) { return perRow[operand]; });
    perRow[i] = cast<PointwiseOpInterface>(node.op).emitScalar(k.b, operands);
  }
  for (const RowFusion::Node &node : rows.nodes) {
    if (isDivisionByRow(node)) {
      prepareDivisor(node.operands[1]);
    }
  }
}

/// A division of floats that all columns of a row have in common.
bool RowValues::isDivisionByRow(const RowFusion::Node &node) const {
  return isa_and_present<graph::DivOp>(node.op) && !node.isPerRow &&
         rows.nodes[node.operands[1]].isPerRow &&
         isa<FloatType>(getElementTypeOrSelf(node.op->getResult(0)));
}

void RowValues::prepareDivisor(size_t node) {
  Divisor &divisor = divisors[node];
  Value d = perRow[node];
  if (!d || divisor.reciprocal) {
    return;
  }
  auto number = [&](double value) -> Value {
    Value scalar =
        arith::ConstantOp::create(k.b, k.loc, k.b.getF32FloatAttr(value));
    return schedule.across == 1 ? scalar : k.splat(scalar, schedule.across);
  };
  Value size = math::AbsFOp::create(k.b, k.loc, d);
  auto choose = [&](arith::CmpFPredicate predicate, double limit, double scale,
                    Value otherwise) -> Value {
    Value isBeyond =
        arith::CmpFOp::create(k.b, k.loc, predicate, size, number(limit));
    return arith::SelectOp::create(k.b, k.loc, isBeyond, number(scale),
                                   otherwise);
  };
  divisor.scale =
      choose(arith::CmpFPredicate::OLT, 0x1p-100, 0x1p+60,
             choose(arith::CmpFPredicate::OGT, 0x1p+100, 0x1p-60, number(1)));
  divisor.reciprocal = arith::DivFOp::create(
      k.b, k.loc, number(1),
      arith::MulFOp::create(k.b, k.loc, d, divisor.scale));
}

Value RowValues::divide(Value dividend, const Divisor &divisor) {
  Value scaled =
      arith::MulFOp::create(k.b, k.loc, dividend, spread(divisor.scale));
  return arith::MulFOp::create(k.b, k.loc, scaled, spread(divisor.reciprocal));
}

} // namespace minic::cuda
