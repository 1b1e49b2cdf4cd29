// SPDX-License-Identifier: Apache-2.0
//
// graph.softmax: verification, its loops and its stages.

#include "dialects/graph/AxisCheck.h"
#include "dialects/graph/AxisLoops.h"

using namespace mlir;

namespace minic::graph {

LogicalResult SoftmaxOp::verify() {
  return checkNonEmptyAxis(getLoc(), "softmax", getAxis(),
                           getInput().getType());
}

IterationSpace SoftmaxOp::getIterationSpace() {
  return loopsAlongAxis(getType(), getAxis());
}

/// Greatest, difference, exponential, sum, quotient.
int64_t SoftmaxOp::getFlopsPerPoint() { return 5; }
ScalarCost SoftmaxOp::getScalarCost() { return ScalarCost::Transcendental; }

SmallVector<Value> SoftmaxOp::expand(OpBuilder &builder) {
  Location loc = getLoc();
  auto type = getInput().getType();
  Type wide = type.clone(builder.getF32Type());
  Value x = getInput();
  if (x.getType() != wide) {
    x = CastOp::create(builder, loc, wide, x);
  }
  int64_t axis[] = {int64_t(getAxis())};
  auto reduce = [&](ReduceKind kind, Value of) -> Value {
    return ReduceOp::create(builder, loc, kind, of, axis, /*keep_dims=*/true);
  };
  Value shifted = SubOp::create(builder, loc, x, reduce(ReduceKind::Max, x));
  Value powers = ExpOp::create(builder, loc, wide, shifted);
  Value result =
      DivOp::create(builder, loc, powers, reduce(ReduceKind::Sum, powers));
  if (result.getType() != type) {
    result = CastOp::create(builder, loc, type, result);
  }
  return {result};
}

} // namespace minic::graph
