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

} // namespace minic::cpu
