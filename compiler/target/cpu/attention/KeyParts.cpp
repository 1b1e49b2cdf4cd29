// SPDX-License-Identifier: Apache-2.0
//
// A state is [greatest][total][sums], as they lie in the thread's memory.

#include "compiler/target/cpu/attention/KeyParts.h"

using namespace mlir;

namespace minic::cpu {

std::pair<Value, Value> emitKeysOfPart(TileCode &code, const KeyParts &parts,
                                       Value begin, Value end) {
  KernelBuilder &k = code.k;
  int64_t unit = parts.count * code.shape.step;
  Value steps =
      k.div(k.add(k.max(k.sub(end, begin), k.i64(0)), unit - 1), unit);
  Value each = k.mul(steps, code.shape.step);
  Value first = k.add(begin, k.mul(parts.number, each));
  return {first, k.min(k.add(first, each), end)};
}

static Value stateOf(TileCode &code, const KeyParts &parts, Value number) {
  return code.k.advance(
      parts.states, code.k.mul(number, code.shape.stateFloats()), code.f32());
}

Value emitLeaveState(TileCode &code, const KeyParts &parts, Value scratch) {
  KernelBuilder &k = code.k;
  const TileShape &shape = code.shape;
  Value state = stateOf(code, parts, parts.number);
  int64_t lines = shape.vectors * shape.lanes;
  for (int64_t lane = 0; lane != lines; lane += shape.lanes) {
    code.store(code.load(scratch, shape.at.greatest + lane), state, lane);
    code.store(code.load(scratch, shape.at.total + lane), state, lines + lane);
  }
  Value from = k.advance(scratch, shape.at.sums, code.f32());
  Value to = k.advance(state, 2 * lines, code.f32());
  k.forLoop(k.i64(0), k.i64(shape.rows * shape.sumColumns), shape.lanes,
            [&](Value i) {
              code.store(code.load(k.advance(from, i, code.f32()), 0),
                         k.advance(to, i, code.f32()), 0);
            });
  // Who sees the last count sees what all parts wrote.
  Value before = LLVM::AtomicRMWOp::create(k.b, k.loc, LLVM::AtomicBinOp::add,
                                           parts.counter, k.i32(1),
                                           LLVM::AtomicOrdering::acq_rel);
  return arith::CmpIOp::create(k.b, k.loc, arith::CmpIPredicate::eq, before,
                               k.i32(int32_t(parts.count - 1)));
}

void emitMergeStates(TileCode &code, const KeyParts &parts, Value scratch) {
  KernelBuilder &k = code.k;
  const TileShape &shape = code.shape;
  int64_t lines = shape.vectors * shape.lanes;
  k.storeRaw(k.i32(0), parts.counter, 4); // for the next run
  k.forLoop(k.i64(0), k.i64(parts.count), 1, [&](Value part) {
    Value state = stateOf(code, parts, part);
    for (int64_t lane = 0; lane != lines; lane += shape.lanes) {
      Value greatest = code.load(scratch, shape.at.greatest + lane);
      code.store(code.greater(code.load(state, lane), greatest), scratch,
                 shape.at.greatest + lane);
    }
  });
  k.forLoop(k.i64(0), k.i64(parts.count), 1, [&](Value part) {
    Value state = stateOf(code, parts, part);
    for (int64_t lane = 0; lane != lines; lane += shape.lanes) {
      Value shift = code.finite(code.load(scratch, shape.at.greatest + lane));
      Value factor = code.exp2(code.math().sub(code.load(state, lane), shift));
      Value total = code.load(scratch, shape.at.total + lane);
      code.store(factor, scratch, shape.at.factor + lane);
      code.store(code.fma(code.load(state, lines + lane), factor, total),
                 scratch, shape.at.total + lane);
    }
    k.forLoop(k.i64(0), k.i64(shape.rows), 1, [&](Value row) {
      Value factor =
          code.loadSplat(k.advance(scratch, row, code.f32()), shape.at.factor);
      Value offset = k.mul(row, shape.sumColumns);
      Value sums = k.advance(k.advance(scratch, shape.at.sums, code.f32()),
                             offset, code.f32());
      Value own = k.advance(k.advance(state, 2 * lines, code.f32()), offset,
                            code.f32());
      for (int64_t e = 0; e != shape.sumColumns; e += shape.lanes) {
        code.store(code.fma(code.load(own, e), factor, code.load(sums, e)),
                   sums, e);
      }
    });
  });
}

} // namespace minic::cpu
