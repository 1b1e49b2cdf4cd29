// SPDX-License-Identifier: Apache-2.0
//
// What is left out is selected away, so that a NaN there is, too.

#include "compiler/target/cpu/attention/ScoreFinish.h"

#include <cmath>

using namespace mlir;

namespace minic::cpu {

static constexpr double kLog2E = 1.44269504088896341;

bool leavesOutByNumber(const AttentionFusion &body) {
  return body.keyLength || body.window || body.causal != graph::Causal::None;
}

Value emitScaled(TileCode &code, Value product) {
  MathArithmetic m = code.math();
  const AttentionFusion &body = code.body;
  if (!body.softCap) {
    return m.mul(product, code.constants(body.scale * kLog2E));
  }
  Value inside = m.mul(product, code.constants(body.scale / *body.softCap));
  return m.mul(m.op<math::TanhOp>(inside),
               code.constants(*body.softCap * kLog2E));
}

Value emitMasked(TileCode &code, Value score, Value mask) {
  MathArithmetic m = code.math();
  if (!code.body.mask->storage.isInteger(1)) {
    return code.fma(mask, code.constants(kLog2E), score);
  }
  bool isStored = isa<FloatType>(getElementTypeOrSelf(mask.getType()));
  Value stays = isStored ? m.compare(arith::CmpFPredicate::OEQ, mask, 0) : mask;
  return m.select(stays, score, code.constants(-HUGE_VAL));
}

Value emitLeftOut(TileCode &code, Value score, Value number, Value first,
                  Value end) {
  MathArithmetic m = code.math();
  Value none = code.constants(-HUGE_VAL);
  auto compare = [&](arith::CmpIPredicate how, Value bound) {
    return arith::CmpIOp::create(code.k.b, code.k.loc, how, number, bound);
  };
  score = m.select(compare(arith::CmpIPredicate::slt, end), score, none);
  return first
             ? m.select(compare(arith::CmpIPredicate::sge, first), score, none)
             : score;
}

Value emitScore(TileCode &code, Value product, Value scratch, Value number,
                Value mask, int64_t lane) {
  KernelBuilder &k = code.k;
  const TileShape &shape = code.shape;
  Value score = emitScaled(code, product);
  if (mask) {
    score = emitMasked(code, score, mask);
  }
  if (!leavesOutByNumber(code.body)) {
    return score;
  }
  Value own = arith::TruncIOp::create(k.b, k.loc, k.b.getI32Type(), number);
  return emitLeftOut(code, score, k.splat(own, shape.lanes),
                     code.body.window
                         ? code.loadIntegers(scratch, shape.at.first + lane)
                         : Value(),
                     code.loadIntegers(scratch, shape.at.end + lane));
}

} // namespace minic::cpu
