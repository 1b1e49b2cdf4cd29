// SPDX-License-Identifier: Apache-2.0
//
// ScalarLoops: index arithmetic and loops that ops on images build for one
// element.

#ifndef MINIC_DIALECTS_GRAPH_SCALARLOOPS_H
#define MINIC_DIALECTS_GRAPH_SCALARLOOPS_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace minic::graph {

struct ScalarLoops {
  mlir::OpBuilder &b;
  mlir::Location loc;

  mlir::Value i64(int64_t value) {
    return mlir::arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(value));
  }
  mlir::Value f32(double value) {
    return mlir::arith::ConstantOp::create(b, loc,
                                           b.getF32FloatAttr(float(value)));
  }
  mlir::Value add(mlir::Value x, int64_t y) {
    return y == 0 ? x : add(x, i64(y));
  }
  mlir::Value add(mlir::Value x, mlir::Value y) {
    return mlir::arith::AddIOp::create(b, loc, x, y);
  }
  mlir::Value sub(mlir::Value x, mlir::Value y) {
    return mlir::arith::SubIOp::create(b, loc, x, y);
  }
  mlir::Value mul(mlir::Value x, int64_t y) {
    return y == 1 ? x : mul(x, i64(y));
  }
  mlir::Value mul(mlir::Value x, mlir::Value y) {
    return mlir::arith::MulIOp::create(b, loc, x, y);
  }
  /// Of numbers that are not negative.
  mlir::Value div(mlir::Value x, int64_t y) {
    return y == 1
               ? x
               : mlir::Value(mlir::arith::DivUIOp::create(b, loc, x, i64(y)));
  }
  mlir::Value rem(mlir::Value x, int64_t y) {
    return mlir::arith::RemUIOp::create(b, loc, x, i64(y));
  }
  mlir::Value min(mlir::Value x, int64_t y) {
    return mlir::arith::MinSIOp::create(b, loc, x, i64(y));
  }
  mlir::Value max(mlir::Value x, int64_t y) {
    return mlir::arith::MaxSIOp::create(b, loc, x, i64(y));
  }
  mlir::Value toFloat(mlir::Value x) {
    return mlir::arith::SIToFPOp::create(b, loc, b.getF32Type(), x);
  }
  mlir::Value addf(mlir::Value x, mlir::Value y) {
    return mlir::arith::AddFOp::create(b, loc, x, y);
  }
  mlir::Value mulf(mlir::Value x, mlir::Value y) {
    return mlir::arith::MulFOp::create(b, loc, x, y);
  }
  mlir::Value divf(mlir::Value x, mlir::Value y) {
    return mlir::arith::DivFOp::create(b, loc, x, y);
  }

  /// `state` after `body` at each index from `first` to below `end`.
  mlir::Value
  loop(mlir::Value first, mlir::Value end, mlir::Value state,
       llvm::function_ref<mlir::Value(mlir::Value, mlir::Value)> body) {
    auto loop = mlir::scf::ForOp::create(b, loc, first, end, i64(1), state);
    mlir::OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    mlir::Value next = body(loop.getInductionVar(), loop.getRegionIterArg(0));
    mlir::scf::YieldOp::create(b, loc, next);
    return loop.getResult(0);
  }

  /// What `then` builds where `condition` holds, else `otherwise`.
  mlir::Value branch(mlir::Value condition, mlir::Value otherwise,
                     llvm::function_ref<mlir::Value()> then) {
    auto branch = mlir::scf::IfOp::create(b, loc, otherwise.getType(),
                                          condition, /*withElseRegion=*/true);
    mlir::OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    mlir::scf::YieldOp::create(b, loc, then());
    b.setInsertionPointToStart(branch.elseBlock());
    mlir::scf::YieldOp::create(b, loc, otherwise);
    return branch.getResult(0);
  }
};

} // namespace minic::graph

#endif // MINIC_DIALECTS_GRAPH_SCALARLOOPS_H
