// SPDX-License-Identifier: Apache-2.0
//
// The elements of a pad by reflection or by the edge. One by a constant is a
// map with a padding value.

#include "dialects/graph/Graph.h"
#include "dialects/graph/ScalarLoops.h"

using namespace mlir;

namespace minic::graph {

bool PadOp::saysReads() { return getMode() != PadMode::Constant; }

SmallVector<Value> PadOp::emitElements(OpBuilder &builder,
                                       ElementAccess &access,
                                       ValueRange indices) {
  ScalarLoops emit{builder, getLoc()};
  ArrayRef<int64_t> shape = getInput().getType().getShape();
  SmallVector<Value> from(indices);
  for (auto [dim, index] : llvm::enumerate(from)) {
    int64_t last = shape[dim] - 1;
    int64_t before = getBefore()[dim], after = getAfter()[dim];
    index = emit.add(index, -before);
    if (before == 0 && after == 0) {
      continue;
    }
    if (getMode() == PadMode::Edge) {
      index = emit.min(emit.max(index, 0), last);
      continue;
    }
    auto mirrored = [&](Value x, int64_t about) {
      return emit.sub(emit.i64(2 * about), x);
    };
    auto choose = [&](arith::CmpIPredicate predicate, Value x, Value y) {
      Value isFirst = arith::CmpIOp::create(builder, getLoc(), predicate, x, y);
      return arith::SelectOp::create(builder, getLoc(), isFirst, x, y);
    };
    // The greater of x and -x, then the less of x and 2 * last - x.
    index = choose(arith::CmpIPredicate::sgt, index, mirrored(index, 0));
    index = choose(arith::CmpIPredicate::slt, index, mirrored(index, last));
  }
  return {access.read(0, from)};
}

} // namespace minic::graph
