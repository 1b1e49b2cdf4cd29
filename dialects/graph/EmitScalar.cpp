// SPDX-License-Identifier: Apache-2.0
//
// The arithmetic of each pointwise op, on scalars or vectors in compute type.

#include "dialects/graph/Graph.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace minic::graph {

namespace {

/// Builds arithmetic at one location on values of one shape.
struct Arithmetic {
  OpBuilder &builder;
  Location loc;

  static bool isFloat(Value v) {
    return isa<FloatType>(getElementTypeOrSelf(v.getType()));
  }
  /// Predicates are 0 and 1; as a signed bit true would be -1.
  static bool isPredicate(Value v) {
    return getElementTypeOrSelf(v.getType()).isInteger(1);
  }

  Value constant(Type type, double value) const {
    Type element = getElementTypeOrSelf(type);
    TypedAttr attr = isa<FloatType>(element)
                         ? TypedAttr(builder.getFloatAttr(element, value))
                         : builder.getIntegerAttr(element, int64_t(value));
    if (auto shaped = dyn_cast<ShapedType>(type)) {
      attr = DenseElementsAttr::get(shaped, Attribute(attr));
    }
    return arith::ConstantOp::create(builder, loc, attr);
  }
  Value like(Value v, double value) const {
    return constant(v.getType(), value);
  }
  template <typename Op, typename... Args> Value op(Args... args) const {
    return Op::create(builder, loc, args...);
  }
  Value add(Value a, Value b) const {
    return isFloat(a) ? op<arith::AddFOp>(a, b) : op<arith::AddIOp>(a, b);
  }
  Value sub(Value a, Value b) const {
    return isFloat(a) ? op<arith::SubFOp>(a, b) : op<arith::SubIOp>(a, b);
  }
  Value mul(Value a, Value b) const {
    return isFloat(a) ? op<arith::MulFOp>(a, b) : op<arith::MulIOp>(a, b);
  }
  Value div(Value a, Value b) const { return op<arith::DivFOp>(a, b); }
  Value equals(Value a, int64_t value) const {
    return op<arith::CmpIOp>(arith::CmpIPredicate::eq, a, like(a, value));
  }
  /// `b` without the divisors whose division traps or overflows: 0 and -1,
  /// which become 1.
  Value safeDivisor(Value b) const {
    return select(op<arith::OrIOp>(equals(b, 0), equals(b, -1)), like(b, 1), b);
  }
  Value exp(Value a) const { return op<math::ExpOp>(a); }
  Value select(Value c, Value a, Value b) const {
    return op<arith::SelectOp>(c, a, b);
  }
  Value less(Value a, Value b) const {
    return op<arith::CmpFOp>(arith::CmpFPredicate::OLT, a, b);
  }
  /// `bound` where it is above `x`, else `x`: one vmaxps, and NaN in `x` stays
  /// because the comparison with it is false.
  Value atLeast(Value x, Value bound) const {
    return select(less(x, bound), bound, x);
  }
  Value atMost(Value x, Value bound) const {
    return select(less(bound, x), bound, x);
  }
  Value fma(Value a, Value b, Value c) const {
    return op<math::FmaOp>(a, b, c);
  }
  /// For a result of type `result`.
  Value sigmoid(Value x, Type result) const {
    arith::FastMathFlags flags = approximate(result);
    Value one = like(x, 1.0);
    Value power = op<math::ExpOp>(Value(op<arith::NegFOp>(x)), flags);
    return op<arith::DivFOp>(one, add(one, power), flags);
  }
  /// What 16 bits hold needs no more than an approximation.
  static arith::FastMathFlags approximate(Type result) {
    return getElementTypeOrSelf(result).getIntOrFloatBitWidth() == 16
               ? arith::FastMathFlags::afn
               : arith::FastMathFlags::none;
  }
};

} // namespace

#define MINIC_EMIT(Op)                                                         \
  Value Op::emitScalar(OpBuilder &builder, ValueRange operands) {              \
    Arithmetic a{builder, getLoc()};                                           \
    Value x = operands[0];

MINIC_EMIT(AddOp) return a.add(x, operands[1]);
}
MINIC_EMIT(SubOp) return a.sub(x, operands[1]);
}
MINIC_EMIT(MulOp) return a.mul(x, operands[1]);
}
MINIC_EMIT(DivOp)
if (a.isFloat(x)) {
  return a.div(x, operands[1]);
}
Value y = operands[1], zero = a.like(x, 0);
Value quotient = a.op<arith::DivSIOp>(x, a.safeDivisor(y));
quotient = a.select(a.equals(y, -1), a.sub(zero, x), quotient);
return a.select(a.equals(y, 0), zero, quotient);
}
MINIC_EMIT(ModOp)
Value y = operands[1];
if (a.isFloat(x)) {
  Value whole = a.op<math::FloorOp>(a.div(x, y)), zero = a.like(x, 0.0);
  Value rest = a.fma(a.op<arith::NegFOp>(whole), y, x);
  // Without a product, which is NaN of an infinite y. A quotient below zero may
  // have become zero: the rest is y then.
  Value differs = a.op<arith::XOrIOp>(a.less(x, zero), a.less(y, zero));
  Value isZero = a.op<arith::CmpFOp>(arith::CmpFPredicate::OEQ, x, zero);
  Value small = a.select(isZero, x, a.select(differs, y, x));
  Value isSmall = a.op<arith::CmpFOp>(arith::CmpFPredicate::OEQ, whole, zero);
  return a.select(isSmall, small, rest);
}
Value rest = a.op<arith::RemSIOp>(x, a.safeDivisor(y));
// The rest has the sign of x; one more divisor where y's differs.
Value differs = a.op<arith::CmpIOp>(arith::CmpIPredicate::slt,
                                    a.op<arith::XOrIOp>(rest, y), a.like(x, 0));
Value moves = a.select(a.equals(rest, 0), a.like(x, 0), y);
return a.select(differs, a.add(rest, moves), rest);
}
MINIC_EMIT(AndOp) return a.op<arith::AndIOp>(x, operands[1]);
}
MINIC_EMIT(OrOp) return a.op<arith::OrIOp>(x, operands[1]);
}
MINIC_EMIT(XorOp) return a.op<arith::XOrIOp>(x, operands[1]);
}
MINIC_EMIT(NotOp)
// All bits are those of -1; an i1 has only one.
return a.op<arith::XOrIOp>(x, a.like(x, a.isPredicate(x) ? 1 : -1));
}
MINIC_EMIT(PowOp) return a.op<math::PowFOp>(x, operands[1]);
}
MINIC_EMIT(MaxOp)
return a.isFloat(x)       ? a.op<arith::MaximumFOp>(x, operands[1])
       : a.isPredicate(x) ? a.op<arith::MaxUIOp>(x, operands[1])
                          : a.op<arith::MaxSIOp>(x, operands[1]);
}
MINIC_EMIT(MinOp)
return a.isFloat(x)       ? a.op<arith::MinimumFOp>(x, operands[1])
       : a.isPredicate(x) ? a.op<arith::MinUIOp>(x, operands[1])
                          : a.op<arith::MinSIOp>(x, operands[1]);
}
MINIC_EMIT(NegOp)
return a.isFloat(x) ? a.op<arith::NegFOp>(x) : a.sub(a.like(x, 0), x);
}
MINIC_EMIT(AbsOp)
return a.isFloat(x) ? a.op<math::AbsFOp>(x) : a.op<math::AbsIOp>(x);
}
MINIC_EMIT(SignOp)
Value zero = a.like(x, 0), one = a.like(x, 1), minusOne = a.like(x, -1);
if (a.isFloat(x)) {
  // Zero and NaN are left as they are.
  return a.select(a.less(zero, x), one, a.select(a.less(x, zero), minusOne, x));
}
using I = arith::CmpIPredicate;
return a.select(a.op<arith::CmpIOp>(I::sgt, x, zero), one,
                a.select(a.op<arith::CmpIOp>(I::slt, x, zero), minusOne, zero));
}
MINIC_EMIT(IsNanOp)
return a.op<arith::CmpFOp>(arith::CmpFPredicate::UNO, x, x);
}
MINIC_EMIT(FloorOp) return a.op<math::FloorOp>(x);
}
MINIC_EMIT(CeilOp) return a.op<math::CeilOp>(x);
}
MINIC_EMIT(RoundOp) return a.op<math::RoundEvenOp>(x);
}
MINIC_EMIT(SinOp) return a.op<math::SinOp>(x);
}
MINIC_EMIT(CosOp) return a.op<math::CosOp>(x);
}
MINIC_EMIT(ExpOp) return a.exp(x);
}
MINIC_EMIT(LogOp) return a.op<math::LogOp>(x);
}
MINIC_EMIT(SqrtOp) return a.op<math::SqrtOp>(x);
}
MINIC_EMIT(RsqrtOp)
double epsilon = getEpsilon().convertToDouble();
x = epsilon == 0 ? x : a.add(x, a.like(x, epsilon));
return a.div(a.like(x, 1.0), a.op<math::SqrtOp>(x));
}
MINIC_EMIT(TanhOp) return a.op<math::TanhOp>(x);
}
MINIC_EMIT(ErfOp) return a.op<math::ErfOp>(x);
}
MINIC_EMIT(SigmoidOp) return a.sigmoid(x, getType());
}
MINIC_EMIT(SiluOp) return a.mul(x, a.sigmoid(x, getType()));
}
MINIC_EMIT(ReluOp) return a.atLeast(x, a.like(x, 0.0));
}
MINIC_EMIT(SoftplusOp)
Value small = a.exp(a.op<arith::NegFOp>(a.op<math::AbsFOp>(x)));
return a.add(a.atLeast(x, a.like(x, 0.0)), a.op<math::Log1pOp>(small));
}
MINIC_EMIT(MishOp)
// tanh(log(1 + e)) = n / (n + 2) with n = e (e + 2); 1 in float32 from 20 on.
Value e = a.exp(a.atMost(x, a.like(x, 20.0)));
Value n = a.mul(e, a.add(e, a.like(x, 2.0)));
return a.mul(x, a.div(n, a.add(n, a.like(x, 2.0))));
}
MINIC_EMIT(EluOp)
Value zero = a.like(x, 0.0);
Value below = a.op<math::ExpM1Op>(a.atMost(x, zero));
below = a.mul(below, a.like(x, getAlpha().convertToDouble()));
return a.select(a.less(zero, x), x, below);
}
MINIC_EMIT(HardSigmoidOp)
Value line = a.fma(x, a.like(x, getAlpha().convertToDouble()),
                   a.like(x, getBeta().convertToDouble()));
return a.atMost(a.atLeast(line, a.like(x, 0.0)), a.like(x, 1.0));
}
MINIC_EMIT(LeakyReluOp)
Value slope = a.like(x, getAlpha().convertToDouble());
return a.select(a.less(x, a.like(x, 0.0)), a.mul(x, slope), x);
}
MINIC_EMIT(HardSwishOp)
Value gate = a.atMost(a.atLeast(a.add(x, a.like(x, 3.0)), a.like(x, 0.0)),
                      a.like(x, 6.0));
return a.mul(x, a.mul(gate, a.like(x, 1.0 / 6.0)));
}
MINIC_EMIT(GeluOp)
Value half = a.mul(x, a.like(x, 0.5));
if (getApproximate() == GeluApproximation::Tanh) {
  Value cube = a.mul(a.mul(x, x), x);
  Value inner = a.add(x, a.mul(cube, a.like(x, 0.044715)));
  // sqrt(2 / pi)
  inner = a.op<math::TanhOp>(a.mul(inner, a.like(x, 0.7978845608028654)));
  return a.mul(half, a.add(a.like(x, 1.0), inner));
}
// 1 / sqrt(2)
Value scaled = a.mul(x, a.like(x, -0.7071067811865476));
return a.mul(half, a.op<math::ErfcOp>(scaled, a.approximate(getType())));
}
MINIC_EMIT(ClampOp)
return a.atMost(a.atLeast(x, a.like(x, getLower().convertToDouble())),
                a.like(x, getUpper().convertToDouble()));
}
MINIC_EMIT(SelectOp) return a.select(x, operands[1], operands[2]);
}
MINIC_EMIT(CompareOp)
using F = arith::CmpFPredicate;
using I = arith::CmpIPredicate;
static const std::tuple<F, I, I> predicates[] = {
    {F::OEQ, I::eq, I::eq},   {F::UNE, I::ne, I::ne},
    {F::OLT, I::slt, I::ult}, {F::OLE, I::sle, I::ule},
    {F::OGT, I::sgt, I::ugt}, {F::OGE, I::sge, I::uge}};
auto [ordered, integer, bit] = predicates[size_t(getPredicate())];
return a.isFloat(x) ? a.op<arith::CmpFOp>(ordered, x, operands[1])
                    : a.op<arith::CmpIOp>(a.isPredicate(x) ? bit : integer, x,
                                          operands[1]);
}

/// `element`, or a vector of it shaped like `type`.
static Type withElement(Type type, Type element) {
  auto shaped = dyn_cast<ShapedType>(type);
  return shaped ? Type(shaped.clone(element)) : element;
}

MINIC_EMIT(CastOp)
Type from = getElementTypeOrSelf(x.getType());
Type to = getElementTypeOrSelf(getType());
auto as = [&](Type element) { return withElement(x.getType(), element); };
if (a.isFloat(x)) {
  if (isa<FloatType>(to)) {
    if (to.isF32()) {
      return x;
    }
    // Rounding is the op's meaning; the value stays in compute type.
    Value rounded = a.op<arith::TruncFOp>(as(to), x);
    return a.op<arith::ExtFOp>(x.getType(), rounded);
  }
  if (to.isInteger(1)) {
    return a.op<arith::CmpFOp>(arith::CmpFPredicate::UNE, x, a.like(x, 0.0));
  }
  return a.op<arith::FPToSIOp>(as(to), x);
}
if (isa<FloatType>(to)) {
  Type f32 = as(builder.getF32Type());
  Value wide = from.isInteger(1) ? a.op<arith::UIToFPOp>(f32, x)
                                 : a.op<arith::SIToFPOp>(f32, x);
  if (to.isF32()) {
    return wide;
  }
  return a.op<arith::ExtFOp>(f32, a.op<arith::TruncFOp>(as(to), wide));
}
if (to.isInteger(1)) {
  return a.op<arith::CmpIOp>(arith::CmpIPredicate::ne, x, a.like(x, 0));
}
unsigned fromBits = from.getIntOrFloatBitWidth();
unsigned toBits = to.getIntOrFloatBitWidth();
if (fromBits == toBits) {
  return x;
}
if (fromBits > toBits) {
  return a.op<arith::TruncIOp>(as(to), x);
}
return from.isInteger(1) ? a.op<arith::ExtUIOp>(as(to), x)
                         : a.op<arith::ExtSIOp>(as(to), x);
}
#undef MINIC_EMIT

} // namespace minic::graph
