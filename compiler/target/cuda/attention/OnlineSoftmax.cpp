// SPDX-License-Identifier: Apache-2.0
//
// A row lies in four neighbouring threads, which meet by two shuffles.

#include "compiler/target/cuda/attention/OnlineSoftmax.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace minic::cuda {

Value OnlineSoftmax::constant(double value) {
  return arith::ConstantOp::create(k.b, k.loc,
                                   k.b.getF32FloatAttr(float(value)));
}

RowState OnlineSoftmax::start() { return {constant(-HUGE_VAL), constant(0)}; }

Value OnlineSoftmax::ofNeighbour(Value value, int64_t flips) {
  return NVVM::ShflOp::create(k.b, k.loc, value.getType(), k.i32(-1), value,
                              k.i32(flips), k.i32(31), NVVM::ShflKind::bfly,
                              UnitAttr());
}

Value OnlineSoftmax::shift(Value greatest) {
  Value isNone = arith::CmpFOp::create(k.b, k.loc, arith::CmpFPredicate::OEQ,
                                       greatest, constant(-HUGE_VAL));
  Value shift = arith::MulFOp::create(k.b, k.loc, greatest, constant(-factor_));
  return arith::SelectOp::create(k.b, k.loc, isNone, constant(0), shift);
}

Value OnlineSoftmax::power(Value score, Value shift) {
  Value exponent =
      math::FmaOp::create(k.b, k.loc, score, constant(factor_), shift);
  // One instruction: weights below the smallest normal number count as 0.
  return LLVM::CallIntrinsicOp::create(
             k.b, k.loc, k.b.getF32Type(),
             k.b.getStringAttr("llvm.nvvm.ex2.approx.ftz"),
             ValueRange(exponent))
      .getResult(0);
}

Value OnlineSoftmax::weight(Value score, Value greatest) {
  return power(score, shift(greatest));
}

/// Visits the elements of row number `row` of a thread, of `rows`.
static void forEach(MutableArrayRef<Value> values, size_t row, size_t rows,
                    llvm::function_ref<void(Value &)> visit) {
  size_t perTile = values.size() / (rows / 2);
  for (size_t i = 0; i != perTile; i += 4) {
    size_t at = row / 2 * perTile + i + row % 2 * 2;
    visit(values[at]);
    visit(values[at + 1]);
  }
}

SmallVector<Value> OnlineSoftmax::add(MutableArrayRef<RowState> rows,
                                      MutableArrayRef<Value> scores) {
  SmallVector<Value> factors;
  for (auto [i, row] : llvm::enumerate(rows)) {
    Value greatest;
    forEach(scores, i, rows.size(), [&](Value &score) {
      greatest = greatest
                     ? arith::MaximumFOp::create(k.b, k.loc, greatest, score)
                     : score;
    });
    for (int64_t flips : {1, 2}) {
      greatest = arith::MaximumFOp::create(k.b, k.loc, greatest,
                                           ofNeighbour(greatest, flips));
    }
    greatest = arith::MaximumFOp::create(k.b, k.loc, greatest, row.greatest);
    Value by = shift(greatest), kept = power(row.greatest, by), sum;
    forEach(scores, i, rows.size(), [&](Value &score) {
      score = power(score, by);
      sum = sum ? arith::AddFOp::create(k.b, k.loc, sum, score) : score;
    });
    row.greatest = greatest;
    row.sum = math::FmaOp::create(k.b, k.loc, row.sum, kept, sum);
    factors.push_back(kept);
  }
  return factors;
}

void OnlineSoftmax::scale(ArrayRef<Value> factors,
                          MutableArrayRef<Value> results) {
  for (auto [i, factor] : llvm::enumerate(factors)) {
    forEach(results, i, factors.size(), [&, factor = factor](Value &result) {
      result = arith::MulFOp::create(k.b, k.loc, result, factor);
    });
  }
}

Value OnlineSoftmax::addUp(Value value) {
  for (int64_t flips : {1, 2}) {
    value = arith::AddFOp::create(k.b, k.loc, value, ofNeighbour(value, flips));
  }
  return value;
}

void OnlineSoftmax::finish(RowState &row) { row.sum = addUp(row.sum); }

Value OnlineSoftmax::inverse(const RowState &row) {
  Value isNone = arith::CmpFOp::create(k.b, k.loc, arith::CmpFPredicate::OEQ,
                                       row.sum, constant(0));
  // One instruction: a function that is called would make the assembler wait
  // for each wgmma. A sum is 1 at least.
  Value inverse =
      NVVM::RcpApproxFtzF32Op::create(k.b, k.loc, k.b.getF32Type(), row.sum);
  return arith::SelectOp::create(k.b, k.loc, isNone, constant(0), inverse);
}

Value OnlineSoftmax::logSumExp(const RowState &row, double scale) {
  Value logarithm = math::LogOp::create(k.b, k.loc, row.sum);
  Value isNone = arith::CmpFOp::create(k.b, k.loc, arith::CmpFPredicate::OEQ,
                                       row.sum, constant(0));
  Value at =
      arith::SelectOp::create(k.b, k.loc, isNone, constant(0), row.greatest);
  return math::FmaOp::create(k.b, k.loc, at, constant(scale), logarithm);
}

} // namespace minic::cuda
