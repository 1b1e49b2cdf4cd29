// SPDX-License-Identifier: Apache-2.0
//
// Pointwise ops, here or in the graph.

#include "compiler/import/onnx/Emitter.h"

#include "dialects/graph/ShapeText.h"

#include <cmath>

using namespace mlir;

namespace minic {

using ::onnx::TensorProto;

bool Emitter::haveOneType(const Value &x, const Value &y, Dims &dims) {
  if (!x || !y) {
    return false;
  }
  if (x.dataType != y.dataType) {
    fail("expected operands of one dtype, got " + dataTypeName(x.dataType) +
         " and " + dataTypeName(y.dataType));
    return false;
  }
  FailureOr<SmallVector<int64_t>> shape =
      graph::broadcastShapes(x.dims, y.dims);
  if (failed(shape)) {
    fail("operands have shapes that do not broadcast");
    return false;
  }
  dims.assign(shape->begin(), shape->end());
  if (!isPossible(dims)) {
    fail("a result of " + graph::shapeText(dims));
    return false;
  }
  return true;
}

template <typename OpT>
Value Emitter::binary(const Value &x, const Value &y,
                      llvm::function_ref<double(double, double)> onFloats,
                      llvm::function_ref<int64_t(int64_t, int64_t)> onInts) {
  Dims dims;
  if (!haveOneType(x, y, dims)) {
    return {};
  }
  if (hasRoom(dims) && onHost({&x, &y})) {
    return constant(
        zipHost(*known(x), *known(y), dims, x.dataType, onFloats, onInts));
  }
  mlir::Value lhs = graph(x), rhs = graph(y);
  return lhs && rhs ? emit<OpT>(lhs, rhs) : Value();
}

/// Two's complement, without the undefined behaviour of int64_t's.
static int64_t wrapped(uint64_t value) { return int64_t(value); }

Value Emitter::add(const Value &x, const Value &y) {
  return binary<graph::AddOp>(
      x, y, [](double a, double b) { return a + b; },
      [](int64_t a, int64_t b) { return wrapped(uint64_t(a) + uint64_t(b)); });
}

Value Emitter::sub(const Value &x, const Value &y) {
  return binary<graph::SubOp>(
      x, y, [](double a, double b) { return a - b; },
      [](int64_t a, int64_t b) { return wrapped(uint64_t(a) - uint64_t(b)); });
}

Value Emitter::mul(const Value &x, const Value &y) {
  return binary<graph::MulOp>(
      x, y, [](double a, double b) { return a * b; },
      [](int64_t a, int64_t b) { return wrapped(uint64_t(a) * uint64_t(b)); });
}

Value Emitter::div(const Value &x, const Value &y) {
  return binary<graph::DivOp>(
      x, y, [](double a, double b) { return a / b; },
      [](int64_t a, int64_t b) {
        return b == 0 ? 0 : b == -1 ? wrapped(-uint64_t(a)) : a / b;
      });
}

Value Emitter::mod(const Value &x, const Value &y) {
  return binary<graph::ModOp>(
      x, y, [](double a, double b) { return a - b * std::floor(a / b); },
      [](int64_t a, int64_t b) {
        int64_t rest = b == 0 || b == -1 ? 0 : a % b;
        return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
      });
}

/// NaN where either is.
static double greater(double a, double b) {
  return std::isnan(a) || std::isnan(b) ? NAN : std::max(a, b);
}
static double less(double a, double b) {
  return std::isnan(a) || std::isnan(b) ? NAN : std::min(a, b);
}

Value Emitter::max(const Value &x, const Value &y) {
  return binary<graph::MaxOp>(
      x, y, greater, [](int64_t a, int64_t b) { return std::max(a, b); });
}

Value Emitter::min(const Value &x, const Value &y) {
  return binary<graph::MinOp>(
      x, y, less, [](int64_t a, int64_t b) { return std::min(a, b); });
}

Value Emitter::pow(const Value &x, const Value &y) {
  return binary<graph::PowOp>(
      x, y, [](double a, double b) { return std::pow(a, b); },
      [](int64_t a, int64_t b) {
        return int64_t(std::pow(double(a), double(b)));
      });
}

Value Emitter::bitAnd(const Value &x, const Value &y) {
  return binary<graph::AndOp>(
      x, y, [](double, double) { return NAN; },
      [](int64_t a, int64_t b) { return a & b; });
}

Value Emitter::bitOr(const Value &x, const Value &y) {
  return binary<graph::OrOp>(
      x, y, [](double, double) { return NAN; },
      [](int64_t a, int64_t b) { return a | b; });
}

Value Emitter::bitXor(const Value &x, const Value &y) {
  return binary<graph::XorOp>(
      x, y, [](double, double) { return NAN; },
      [](int64_t a, int64_t b) { return a ^ b; });
}

Value Emitter::neg(const Value &x) {
  if (x && !x.isFloat()) {
    return sub(scalar(0, x), x);
  }
  return unary<graph::NegOp>(x, [](double a) { return -a; });
}

Value Emitter::abs(const Value &x) {
  if (x && !x.isFloat() && onHost({&x})) {
    return max(x, neg(x));
  }
  return unary<graph::AbsOp>(x, [](double a) { return std::fabs(a); });
}

Value Emitter::sign(const Value &x) {
  return unary<graph::SignOp>(
      x, [](double a) { return double((a > 0) - (a < 0)); });
}

Value Emitter::bitNot(const Value &x) {
  if (x && x.dataType == TensorProto::BOOL && onHost({&x})) {
    return bitXor(x, scalar(1, x));
  }
  return unary<graph::NotOp>(x, nullptr);
}

template <typename T>
static bool holds(graph::ComparePredicate predicate, T a, T b) {
  switch (predicate) {
  case graph::ComparePredicate::Eq:
    return a == b;
  case graph::ComparePredicate::Ne:
    return a != b;
  case graph::ComparePredicate::Lt:
    return a < b;
  case graph::ComparePredicate::Le:
    return a <= b;
  case graph::ComparePredicate::Gt:
    return a > b;
  case graph::ComparePredicate::Ge:
    return a >= b;
  }
  return false;
}

Value Emitter::compare(graph::ComparePredicate predicate, const Value &x,
                       const Value &y) {
  Dims dims;
  if (!haveOneType(x, y, dims)) {
    return {};
  }
  if (hasRoom(dims) && onHost({&x, &y})) {
    return constant(zipHost(
        *known(x), *known(y), dims, TensorProto::BOOL,
        [&](double a, double b) { return holds(predicate, a, b); },
        [&](int64_t a, int64_t b) { return holds(predicate, a, b); }));
  }
  mlir::Value lhs = graph(x), rhs = graph(y);
  return lhs && rhs ? emit<graph::CompareOp>(predicate, lhs, rhs) : Value();
}

Value Emitter::select(const Value &condition, const Value &x, const Value &y) {
  Dims dims;
  if (!condition || !haveOneType(x, y, dims)) {
    return {};
  }
  FailureOr<SmallVector<int64_t>> shape =
      graph::broadcastShapes(condition.dims, dims);
  if (failed(shape) || !isPossible(*shape)) {
    return fail("operands have shapes that do not broadcast");
  }
  if (hasRoom(*shape) && onHost({&condition, &x, &y})) {
    HostTensor which = expandHost(*known(condition), *shape);
    HostTensor a = expandHost(*known(x), *shape),
               b = expandHost(*known(y), *shape);
    for (size_t i = 0; i < which.ints.size(); ++i) {
      if (!which.ints[i]) {
        (a.isFloat() ? void(a.floats[i] = b.floats[i])
                     : void(a.ints[i] = b.ints[i]));
      }
    }
    return constant(std::move(a));
  }
  mlir::Value which = graph(condition), lhs = graph(x), rhs = graph(y);
  return which && lhs && rhs ? emit<graph::SelectOp>(which, lhs, rhs) : Value();
}

Value Emitter::cast(const Value &x, int dataType) {
  if (!x || x.dataType == dataType) {
    return x;
  }
  if (elementBytes(dataType) == 0) {
    return fail("minic has no dtype " + dataTypeName(dataType) +
                doubleHint(dataType));
  }
  if (hasRoom(x.dims) && onHost({&x})) {
    return constant(castHost(*known(x), dataType));
  }
  mlir::Value operand = graph(x);
  return operand ? emitAs<graph::CastOp>(dataType, x.dims, operand) : Value();
}

} // namespace minic
