// SPDX-License-Identifier: Apache-2.0
//
// Two range reductions: pi / 2 in three parts (Cody and Waite) as long as the
// quarters have 17 bits, else the bits of 2 / pi that the exponent leaves
// (Payne and Hanek), behind a branch that ordinary operands do not take.
// The polynomials are those of Cephes' sinf and cosf (S. Moshier).

#include "compiler/target/codegen/Trigonometry.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace minic {

/// Quarters of larger operands have more bits than the first part of pi / 2
/// leaves room for.
static constexpr double kLargestSmall = 105615.0;

/// 1.5 * 2^23: leaves the rounded integer in the low bits.
static constexpr double kRoundingMagic = 12582912.0;

/// 2^-32 * 2 / pi in words of 32 bits.
static constexpr uint32_t kTwoOverPi[] = {0,          0xa2f9836e, 0x4e441529,
                                          0xfc2757d1, 0xf534ddc0, 0xdb629599,
                                          0x3c439041, 0xfe5163ab};

Trigonometry::Angle Trigonometry::reduceSmall(Value x) const {
  Value magic = fma(x, 0.636619772367581343, like(x, kRoundingMagic));
  Value quarters = sub(magic, like(x, kRoundingMagic));
  Value rest = fma(quarters, -0x1.921fb0p+0, x);
  rest = fma(quarters, -0x1.5110b4p-22, rest);
  rest = fma(quarters, -0x1.846988p-48, rest);
  return {op<arith::BitcastOp>(i32(), magic), rest};
}

Trigonometry::Angle Trigonometry::reduceLarge(Value x) const {
  // |x| = m * 2^(e - 150). Bits of 2 / pi above 2^(152 - e) make multiples of
  // 2 pi: the product with the 96 bits after them is the angle in turns.
  Value bits = op<arith::BitcastOp>(i32(), x);
  auto i32Of = [&](int64_t value) { return integer(i32(), value); };
  auto i64Of = [&](int64_t value) { return integer(i64(), value); };
  auto widen = [&](Value v) { return op<arith::ExtUIOp>(i64(), v); };
  Value exponent = op<arith::AndIOp>(Value(op<arith::ShRUIOp>(bits, i32Of(23))),
                                     i32Of(0xff));
  Value m = widen(op<arith::OrIOp>(
      Value(op<arith::AndIOp>(bits, i32Of(0x7fffff))), i32Of(0x800000)));
  // 150 + 2, less the word of zeros in front.
  Value start = op<arith::SubIOp>(exponent, i32Of(120));
  Value first = op<arith::ShRSIOp>(start, i32Of(5));
  Value shift = widen(op<arith::AndIOp>(start, i32Of(31)));
  SmallVector<Value> words;
  for (int j = 0; j != 4; ++j) {
    Value word = i64Of(kTwoOverPi[j + 4]);
    for (int from = 3; from >= 0; --from) {
      Value is =
          op<arith::CmpIOp>(arith::CmpIPredicate::eq, first, i32Of(from));
      word = select(is, i64Of(kTwoOverPi[j + from]), word);
    }
    words.push_back(word);
  }
  auto product = [&](int j) -> Value {
    Value pair = op<arith::OrIOp>(Value(op<arith::ShLIOp>(words[j], i64Of(32))),
                                  words[j + 1]);
    Value window =
        op<arith::ShRUIOp>(Value(op<arith::ShLIOp>(pair, shift)), i64Of(32));
    return op<arith::MulIOp>(m, window);
  };
  Value turns = op<arith::AddIOp>(
      Value(op<arith::AddIOp>(Value(op<arith::ShLIOp>(product(0), i64Of(32))),
                              product(1))),
      Value(op<arith::ShRUIOp>(product(2), i64Of(32))));
  // Two bits of quarters; as a signed number the others are the nearest's rest.
  Value fraction = op<arith::ShLIOp>(turns, i64Of(2));
  Value halfway = op<arith::AddIOp>(turns, i64Of(int64_t(1) << 61));
  Value quarter =
      op<arith::TruncIOp>(i32(), Value(op<arith::ShRUIOp>(halfway, i64Of(62))));
  Value wide = op<arith::SIToFPOp>(f64(), fraction);
  wide = mul(wide, like(wide, 0x1p-64 * 1.57079632679489662));
  Value rest = op<arith::TruncFOp>(f32(), wide);
  Value isNegative = compare(F::OLT, x, 0);
  quarter = select(isNegative, op<arith::SubIOp>(i32Of(0), quarter), quarter);
  rest = select(isNegative, op<arith::NegFOp>(rest), rest);
  // Infinity times zero is NaN.
  return {quarter, fma(x, 0, rest)};
}

Value Trigonometry::isAny(Value predicate) const {
  auto vector = dyn_cast<VectorType>(predicate.getType());
  if (!vector) {
    return predicate;
  }
  if (vector.getRank() != 1) {
    predicate = op<vector::ShapeCastOp>(
        VectorType::get(vector.getNumElements(), b.getI1Type()), predicate);
  }
  return op<vector::ReductionOp>(vector::CombiningKind::OR, predicate);
}

Value Trigonometry::sine(Value x, int quartersAhead) const {
  Angle small = reduceSmall(x);
  Value magnitude = op<math::AbsFOp>(x);
  Value isLarge = compare(F::OGT, magnitude, kLargestSmall);
  auto branch = scf::IfOp::create(b, loc, TypeRange{i32(), f32()},
                                  isAny(isLarge), /*withElseRegion=*/true);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    Angle large = reduceLarge(x);
    scf::YieldOp::create(
        b, loc,
        ValueRange{select(isLarge, large.quarter, small.quarter),
                   select(isLarge, large.rest, small.rest)});
    b.setInsertionPointToStart(branch.elseBlock());
    scf::YieldOp::create(b, loc, ValueRange{small.quarter, small.rest});
  }
  Value quarter =
      op<arith::AddIOp>(branch.getResult(0), integer(i32(), quartersAhead));
  Value rest = branch.getResult(1), z = mul(rest, rest);
  Value p =
      polynomial(z, {-1.9515295891e-4, 8.3321608736e-3, -1.6666654611e-1});
  Value sine = fma(mul(p, z), rest, rest);
  Value q = polynomial(
      z, {2.443315711809948e-5, -1.388731625493765e-3, 4.166664568298827e-2});
  Value cosine = fma(mul(z, z), q, fma(z, -0.5, like(z, 1)));
  Value isOdd = op<arith::CmpIOp>(
      arith::CmpIPredicate::ne,
      Value(op<arith::AndIOp>(quarter, integer(i32(), 1))), integer(i32(), 0));
  Value bits = op<arith::BitcastOp>(i32(), select(isOdd, cosine, sine));
  Value sign = op<arith::ShLIOp>(
      Value(op<arith::AndIOp>(quarter, integer(i32(), 2))), integer(i32(), 30));
  return op<arith::BitcastOp>(f32(), Value(op<arith::XOrIOp>(bits, sign)));
}

} // namespace minic
