// SPDX-License-Identifier: Apache-2.0
//
// Arithmetic, comparisons and logic, element by element.

#include "compiler/import/onnx/OpTable.h"

#include <cmath>
#include <limits>
#include <numbers>

namespace minic {

using graph::ComparePredicate;
using ::onnx::TensorProto;

template <Value (Emitter::*function)(const Value &, const Value &)>
static void binary(Node &n) {
  n.set(0, (n.e.*function)(n.operand(0), n.operand(1)));
}

template <Value (Emitter::*function)(const Value &)>
static void unary(Node &n) {
  n.set(0, (n.e.*function)(n.operand(0)));
}

/// Any number of operands, from left to right.
template <Value (Emitter::*function)(const Value &, const Value &)>
static void fold(Node &n) {
  Value result = n.operand(0);
  for (unsigned i = 1; i < n.operandCount(); ++i) {
    result = (n.e.*function)(result, n.operand(i));
  }
  n.set(0, result);
}

static void mean(Node &n) {
  fold<&Emitter::add>(n);
  Value sum = n.result(0);
  n.set(0, n.e.div(sum, n.e.scalar(n.operandCount(), sum)));
}

template <ComparePredicate predicate> static void compare(Node &n) {
  n.set(0, n.e.compare(predicate, n.operand(0), n.operand(1)));
}

#define MINIC_UNARY(name, op, formula)                                         \
  static void name(Node &n) {                                                  \
    n.set(0, n.e.unary<graph::op>(                                             \
                 n.operand(0), [](double a) -> double { return formula; }));   \
  }
MINIC_UNARY(floorOp, FloorOp, std::floor(a))
MINIC_UNARY(ceilOp, CeilOp, std::ceil(a))
MINIC_UNARY(roundOp, RoundOp, std::nearbyint(a))
MINIC_UNARY(sqrtOp, SqrtOp, std::sqrt(a))
MINIC_UNARY(expOp, ExpOp, std::exp(a))
MINIC_UNARY(logOp, LogOp, std::log(a))
MINIC_UNARY(sinOp, SinOp, std::sin(a))
MINIC_UNARY(cosOp, CosOp, std::cos(a))
MINIC_UNARY(tanhOp, TanhOp, std::tanh(a))
MINIC_UNARY(erfOp, ErfOp, std::erf(a))
#undef MINIC_UNARY

static Value expOf(Node &n, const Value &x) {
  return n.e.unary<graph::ExpOp>(x, [](double a) { return std::exp(a); });
}
static Value logOf(Node &n, const Value &x) {
  return n.e.unary<graph::LogOp>(x, [](double a) { return std::log(a); });
}
static Value sqrtOf(Node &n, const Value &x) {
  return n.e.unary<graph::SqrtOp>(x, [](double a) { return std::sqrt(a); });
}

static void reciprocal(Node &n) {
  Value x = n.operand(0);
  n.set(0, n.e.div(n.e.scalar(1, x), x));
}

static void tan(Node &n) {
  sinOp(n);
  Value sine = n.result(0);
  cosOp(n);
  n.set(0, n.e.div(sine, n.result(0)));
}

/// (e^x + sign * e^-x) / 2
static Value hyperbolic(Node &n, double sign) {
  Value x = n.operand(0), half = n.e.scalar(0.5, x);
  Value up = n.e.mul(half, expOf(n, x));
  Value down = n.e.mul(half, expOf(n, n.e.neg(x)));
  return sign > 0 ? n.e.add(up, down) : n.e.sub(up, down);
}
static void sinh(Node &n) { n.set(0, hyperbolic(n, -1)); }
static void cosh(Node &n) { n.set(0, hyperbolic(n, 1)); }

/// sign(x) * log(|x| + sqrt(x^2 + 1)), which keeps the digits of large x.
static void asinh(Node &n) {
  Value x = n.operand(0), size = n.e.abs(x);
  Value root = sqrtOf(n, n.e.add(n.e.mul(x, x), n.e.scalar(1, x)));
  n.set(0, n.e.mul(n.e.sign(x), logOf(n, n.e.add(size, root))));
}

static void acosh(Node &n) {
  Value x = n.operand(0);
  Value root = sqrtOf(n, n.e.sub(n.e.mul(x, x), n.e.scalar(1, x)));
  n.set(0, logOf(n, n.e.add(x, root)));
}

static void atanh(Node &n) {
  Value x = n.operand(0), one = n.e.scalar(1, x);
  Value ratio = n.e.div(n.e.add(one, x), n.e.sub(one, x));
  n.set(0, n.e.mul(n.e.scalar(0.5, x), logOf(n, ratio)));
}

/// Below tan(pi / 8) a polynomial, above it that of (x - 1) / (x + 1), above
/// tan(3 pi / 8) that of -1 / x (Moshier, Cephes, atanf): right to float32.
static Value arcTangent(Node &n, const Value &x) {
  auto number = [&](double value) { return n.e.scalar(value, x); };
  Value size = n.e.abs(x);
  auto isAbove = [&](double bound) {
    return n.e.compare(ComparePredicate::Gt, size, number(bound));
  };
  Value isMiddle = isAbove(0.4142135623730950),
        isFar = isAbove(2.414213562373095);
  Value inner = n.e.div(n.e.sub(size, number(1)), n.e.add(size, number(1)));
  Value outer = n.e.div(number(-1), size);
  Value y = n.e.select(isFar, outer, n.e.select(isMiddle, inner, size));
  constexpr double quarter = std::numbers::pi / 4;
  Value start = n.e.select(isFar, number(2 * quarter),
                           n.e.select(isMiddle, number(quarter), number(0)));
  Value square = n.e.mul(y, y), sum = number(8.05374449538e-2);
  for (double next : {-1.38776856032e-1, 1.99777106478e-1, -3.33329491539e-1}) {
    sum = n.e.add(n.e.mul(sum, square), number(next));
  }
  Value rest = n.e.add(n.e.mul(n.e.mul(sum, square), y), y);
  return n.e.mul(n.e.sign(x), n.e.add(start, rest));
}

static void atan(Node &n) { n.set(0, arcTangent(n, n.operand(0))); }

/// atan(x / sqrt((1 - x)(1 + x)))
static Value arcSine(Node &n, const Value &x) {
  Value one = n.e.scalar(1, x);
  Value root = sqrtOf(n, n.e.mul(n.e.sub(one, x), n.e.add(one, x)));
  return arcTangent(n, n.e.div(x, root));
}

static void asin(Node &n) { n.set(0, arcSine(n, n.operand(0))); }
static void acos(Node &n) {
  Value x = n.operand(0);
  n.set(0, n.e.sub(n.e.scalar(std::numbers::pi / 2, x), arcSine(n, x)));
}

/// The exponent may have another dtype; integers are raised in float32.
static void pow(Node &n) {
  Value x = n.operand(0), y = n.operand(1);
  if (!x || !y) {
    return;
  }
  if (auto exponent = n.e.known(y);
      exponent && exponent->elements() == 1 && exponent->number(0) == 2) {
    auto dims = graph::broadcastShapes(x.dims, y.dims);
    if (mlir::succeeded(dims)) {
      n.set(0, n.e.expand(n.e.mul(x, x), *dims));
    }
    return;
  }
  int dataType = x.isFloat() ? x.dataType : int(TensorProto::FLOAT);
  n.set(0, n.e.cast(n.e.pow(n.e.cast(x, dataType), n.e.cast(y, dataType)),
                    x.dataType));
}

/// With fmod the rest has the sign of x, else that of y.
static void mod(Node &n) {
  Value x = n.operand(0), y = n.operand(1);
  n.set(0, n.intOf("fmod", 0)
               ? n.e.mul(n.e.sign(x), n.e.mod(n.e.abs(x), n.e.abs(y)))
               : n.e.mod(x, y));
}

static void isInf(Node &n) {
  Value x = n.operand(0);
  double infinity = std::numeric_limits<double>::infinity();
  bool positive = n.intOf("detect_positive", 1);
  bool negative = n.intOf("detect_negative", 1);
  Value which = positive && negative ? n.e.abs(x) : x;
  if (x && !positive && !negative) {
    n.set(0, n.e.splat(TensorProto::BOOL, x.dims, 0));
    return;
  }
  n.set(0, n.e.compare(ComparePredicate::Eq, which,
                       n.e.scalar(positive ? infinity : -infinity, x)));
}

static void isNan(Node &n) {
  Value x = n.operand(0);
  n.set(0, n.e.compare(ComparePredicate::Ne, x, x));
}

static void where(Node &n) {
  n.set(0, n.e.select(n.operand(0), n.operand(1), n.operand(2)));
}

static void cast(Node &n) {
  n.set(0, n.e.cast(n.operand(0), n.e.dtypeOf(int(n.intOf("to", 0)))));
}

static void castLike(Node &n) {
  n.set(0, n.e.cast(n.operand(0), n.operand(1).dataType));
}

/// Bounds were attributes up to opset 10.
static void clip(Node &n) {
  Value x = n.operand(0), low, high;
  if (n.opset() < 11) {
    low = n.hasAttribute("min") ? n.e.scalar(n.floatOf("min", 0), x) : Value();
    high = n.hasAttribute("max") ? n.e.scalar(n.floatOf("max", 0), x) : Value();
  } else {
    low = n.optionalOperand(1);
    high = n.optionalOperand(2);
  }
  x = low ? n.e.max(x, low) : x;
  n.set(0, high ? n.e.min(x, high) : x);
}

llvm::ArrayRef<OpEntry> pointwiseOps() {
  static const OpEntry table[] = {
      {"Abs", unary<&Emitter::abs>},
      {"Acos", acos, 7},
      {"Acosh", acosh, 9},
      {"Add", binary<&Emitter::add>, 7},
      {"And", binary<&Emitter::bitAnd>, 7},
      {"Asin", asin, 7},
      {"Asinh", asinh, 9},
      {"Atan", atan, 7},
      {"Atanh", atanh, 9},
      {"BitwiseAnd", binary<&Emitter::bitAnd>, 18},
      {"BitwiseNot", unary<&Emitter::bitNot>, 18},
      {"BitwiseOr", binary<&Emitter::bitOr>, 18},
      {"BitwiseXor", binary<&Emitter::bitXor>, 18},
      {"Cast", cast, 6},
      {"CastLike", castLike, 15},
      {"Ceil", ceilOp},
      {"Clip", clip, 6},
      {"Cos", cosOp, 7},
      {"Cosh", cosh, 9},
      {"Div", binary<&Emitter::div>, 7},
      {"Equal", compare<ComparePredicate::Eq>, 7},
      {"Erf", erfOp, 9},
      {"Exp", expOp},
      {"Floor", floorOp},
      {"Greater", compare<ComparePredicate::Gt>, 7},
      {"GreaterOrEqual", compare<ComparePredicate::Ge>, 12},
      {"IsInf", isInf, 10},
      {"IsNaN", isNan, 9},
      {"Less", compare<ComparePredicate::Lt>, 7},
      {"LessOrEqual", compare<ComparePredicate::Le>, 12},
      {"Log", logOp},
      {"Max", fold<&Emitter::max>, 6},
      {"Mean", mean, 6},
      {"Min", fold<&Emitter::min>, 6},
      {"Mod", mod, 10},
      {"Mul", binary<&Emitter::mul>, 7},
      {"Neg", unary<&Emitter::neg>},
      {"Not", unary<&Emitter::bitNot>},
      {"Or", binary<&Emitter::bitOr>, 7},
      {"Pow", pow, 7},
      {"Reciprocal", reciprocal},
      {"Round", roundOp, 11},
      {"Sign", unary<&Emitter::sign>, 9},
      {"Sin", sinOp, 7},
      {"Sinh", sinh, 9},
      {"Sqrt", sqrtOp},
      {"Sub", binary<&Emitter::sub>, 7},
      {"Sum", fold<&Emitter::add>, 6},
      {"Tan", tan, 7},
      {"Tanh", tanhOp},
      {"Where", where, 9},
      {"Xor", binary<&Emitter::bitXor>, 7},
  };
  return table;
}

} // namespace minic
