// SPDX-License-Identifier: Apache-2.0
//
// Weights are powers of two: log2(e) is a part of the scale.

#include "compiler/target/cpu/attention/TileCode.h"

#include <cmath>

using namespace mlir;

namespace minic::cpu {

Value TileCode::load(Value pointer, int64_t elements) {
  return k.loadRaw(f32s(), k.advance(pointer, elements, f32()), 4);
}

Value TileCode::loadIntegers(Value pointer, int64_t elements) {
  return k.loadRaw(VectorType::get(shape.lanes, k.b.getI32Type()),
                   k.advance(pointer, elements, f32()), 4);
}

void TileCode::store(Value vector, Value pointer, int64_t elements) {
  k.storeRaw(vector, k.advance(pointer, elements, f32()), 4);
}

Value TileCode::loadSplat(Value pointer, int64_t elements) {
  return k.splat(k.loadRaw(f32(), k.advance(pointer, elements, f32()), 4),
                 shape.lanes);
}

Value TileCode::greater(Value x, Value y) {
  MathArithmetic m = math();
  Value isGreater =
      arith::CmpFOp::create(k.b, k.loc, arith::CmpFPredicate::OGT, x, y);
  return m.select(isGreater, x, y);
}

Value TileCode::finite(Value value) {
  MathArithmetic m = math();
  return m.select(m.compare(arith::CmpFPredicate::OEQ, value, -HUGE_VAL), 0,
                  value);
}

// 1.5 * 2^23 rounds to an integer; 127 more leaves the exponent's bits of the
// power. The polynomial was fitted to 2^x on [-1/2, 1/2] for the least relative
// error, 9.2e-8 (Lawson's algorithm on Chebyshev nodes).
Value TileCode::exp2(Value x) {
  MathArithmetic m = math();
  constexpr double kMagic = 12582912.0 + 127;
  // NaN stays: it is not less.
  x = greater(constants(-127), x);
  Value shifted = m.add(x, constants(kMagic));
  Value fraction = m.sub(x, m.sub(shifted, constants(kMagic)));
  Value power =
      m.polynomial(fraction, {0.00132647272, 0.00967151264, 0.0555073374,
                              0.240222421, 0.693146978, 1.0});
  Value bits = m.op<arith::ShLIOp>(
      Value(m.op<arith::BitcastOp>(m.i32(), shifted)), m.integer(m.i32(), 23));
  return m.mul(power, m.op<arith::BitcastOp>(m.f32(), bits));
}

} // namespace minic::cpu
