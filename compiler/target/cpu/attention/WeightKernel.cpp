// SPDX-License-Identifier: Apache-2.0
//
// Online softmax (Milakov and Gimelshein, 2018): what was summed before is
// scaled by how far the greatest score has moved.

#include "compiler/target/cpu/attention/Kernels.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace minic::cpu {

namespace {

class WeightEmitter : TileCode {
public:
  WeightEmitter(OpBuilder &builder, Location loc, const AttentionFusion &body,
                const TileShape &shape, LLVM::LLVMFuncOp function)
      : TileCode(builder, loc, body, shape), scratch(function.getArgument(0)),
        count(function.getArgument(1)),
        scores(k.advance(scratch, shape.at.scores, f32())) {}

  void emit() {
    if (!shape.lanesAreQueries) {
      gatherGreatest();
    }
    SmallVector<Value> shifts = move();
    if (shape.lanesAreQueries) {
      weighQueries(shifts);
    } else {
      weighKeys();
    }
  }

private:
  /// The greatest of each row's lanes and of the blocks before: two blocks
  /// without a key that a query sees would else scale its sums to 0.
  void gatherGreatest() {
    Value next = k.advance(scratch, shape.at.next, f32());
    Value lines = k.advance(scratch, shape.at.laneGreatest, f32());
    k.forLoop(k.i64(0), k.i64(shape.rows), 1, [&](Value row) {
      Value line = k.advance(lines, k.mul(row, shape.lanes), f32());
      Value place = k.advance(next, row, f32());
      Value own = greater(load(line, 0), loadSplat(place, 0));
      Value greatest = vector::ReductionOp::create(
          k.b, k.loc, vector::CombiningKind::MAXNUMF, own);
      k.storeRaw(greatest, place, 4);
    });
  }

  /// Brings `greatest` and `factor` up to date; gives what is subtracted from
  /// scores.
  SmallVector<Value> move() {
    SmallVector<Value> shifts;
    for (int64_t v = 0; v != shape.vectors; ++v) {
      int64_t lane = v * shape.lanes;
      Value before = load(scratch, shape.at.greatest + lane);
      Value after = load(scratch, shape.at.next + lane);
      shifts.push_back(finite(after));
      store(exp2(math().sub(before, shifts.back())), scratch,
            shape.at.factor + lane);
      store(after, scratch, shape.at.greatest + lane);
    }
    return shifts;
  }

  void weighQueries(ArrayRef<Value> shifts) {
    SmallVector<Value> sums(shifts.size(), constants(0));
    sums =
        k.forLoop(k.i64(0), count, 1, sums, [&](Value key, ValueRange carried) {
          Value row = k.advance(scores, k.mul(key, shape.rows), f32());
          SmallVector<Value> next;
          for (auto [v, sum] : llvm::enumerate(carried)) {
            int64_t lane = int64_t(v) * shape.lanes;
            Value weight = exp2(math().sub(load(row, lane), shifts[v]));
            store(weight, row, lane);
            next.push_back(math().add(sum, weight));
          }
          return next;
        });
    for (auto [v, sum] : llvm::enumerate(sums)) {
      int64_t lane = int64_t(v) * shape.lanes;
      Value total = load(scratch, shape.at.total + lane);
      Value factor = load(scratch, shape.at.factor + lane);
      store(fma(total, factor, sum), scratch, shape.at.total + lane);
    }
  }

  void weighKeys() {
    Value greatest = k.advance(scratch, shape.at.greatest, f32());
    Value totals = k.advance(scratch, shape.at.total, f32());
    Value factors = k.advance(scratch, shape.at.factor, f32());
    k.forLoop(k.i64(0), k.i64(shape.rows), 1, [&](Value row) {
      Value shift = finite(loadSplat(k.advance(greatest, row, f32()), 0));
      Value line = k.advance(scores, k.mul(row, shape.blockKeys), f32());
      Value sum =
          k.forLoop(k.i64(0), count, shape.lanes, {constants(0)},
                    [&](Value key, ValueRange carried) -> SmallVector<Value> {
                      Value pointer = k.advance(line, key, f32());
                      Value weight = exp2(math().sub(load(pointer, 0), shift));
                      store(weight, pointer, 0);
                      return {math().add(carried[0], weight)};
                    })[0];
      // Merged in the order that LLVM chooses, always the same.
      Value own =
          vector::ReductionOp::create(k.b, k.loc, vector::CombiningKind::ADD,
                                      sum, arith::FastMathFlags::reassoc);
      Value total = k.advance(totals, row, f32());
      Value factor = k.loadRaw(f32(), k.advance(factors, row, f32()), 4);
      Value scaled =
          arith::MulFOp::create(k.b, k.loc, k.loadRaw(f32(), total, 4), factor);
      k.storeRaw(arith::AddFOp::create(k.b, k.loc, scaled, own), total, 4);
    });
  }

  Value scratch, count, scores;
};

} // namespace

LLVM::LLVMFuncOp emitWeightKernel(OpBuilder &builder, Location loc,
                                  ModuleOp device, StringRef name,
                                  const AttentionFusion &body,
                                  const TileShape &shape) {
  OpBuilder::InsertionGuard guard(builder);
  Type pointer = LLVM::LLVMPointerType::get(builder.getContext());
  LLVM::LLVMFuncOp function = createInternalFunction(
      builder, loc, device, name, {pointer, builder.getI64Type()});
  WeightEmitter(builder, loc, body, shape, function).emit();
  return function;
}

} // namespace minic::cpu
