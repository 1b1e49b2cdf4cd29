// SPDX-License-Identifier: Apache-2.0
//
// Online softmax (Milakov and Gimelshein, 2018): what was summed before is
// scaled by how far the greatest score has moved.

#include "compiler/target/cpu/attention/Kernels.h"

using namespace mlir;

namespace minic::cpu {

LLVM::LLVMFuncOp emitWeightKernel(OpBuilder &builder, Location loc,
                                  ModuleOp device, StringRef name,
                                  const AttentionFusion &body,
                                  const TileShape &shape) {
  OpBuilder::InsertionGuard guard(builder);
  Type pointer = LLVM::LLVMPointerType::get(builder.getContext());
  LLVM::LLVMFuncOp function = createInternalFunction(
      builder, loc, device, name, {pointer, builder.getI64Type()});
  TileCode code(builder, loc, body, shape);
  KernelBuilder &k = code.k;
  MathArithmetic m = code.math();
  Value scratch = function.getArgument(0), count = function.getArgument(1);

  SmallVector<Value> shifts, sums;
  for (int64_t v = 0; v != shape.vectors; ++v) {
    int64_t lane = v * shape.lanes;
    Value before = code.load(scratch, shape.at.greatest + lane);
    Value after = code.load(scratch, shape.at.next + lane);
    shifts.push_back(code.finite(after));
    Value factor = code.exp2(m.sub(before, shifts.back()));
    code.store(after, scratch, shape.at.greatest + lane);
    code.store(factor, scratch, shape.at.factor + lane);
    sums.push_back(code.constants(0));
  }
  Value scores = k.advance(scratch, shape.at.scores, code.f32());
  sums =
      k.forLoop(k.i64(0), count, 1, sums, [&](Value key, ValueRange carried) {
        Value row = k.advance(scores, k.mul(key, shape.rows), code.f32());
        SmallVector<Value> next;
        for (auto [v, sum] : llvm::enumerate(carried)) {
          int64_t lane = int64_t(v) * shape.lanes;
          Value weight = code.exp2(m.sub(code.load(row, lane), shifts[v]));
          code.store(weight, row, lane);
          next.push_back(m.add(sum, weight));
        }
        return next;
      });
  for (auto [v, sum] : llvm::enumerate(sums)) {
    int64_t lane = int64_t(v) * shape.lanes;
    Value total = code.load(scratch, shape.at.total + lane);
    Value factor = code.load(scratch, shape.at.factor + lane);
    code.store(code.fma(total, factor, sum), scratch, shape.at.total + lane);
  }
  return function;
}

} // namespace minic::cpu
