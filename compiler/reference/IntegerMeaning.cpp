// SPDX-License-Identifier: Apache-2.0
//
// Integer ops, exact modulo their width.

#include "compiler/reference/CarriedError.h"
#include "compiler/reference/PointwiseMeanings.h"
#include "compiler/reference/Storage.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace minic::reference {

static constexpr double kExactInteger = 0x1p53;

int64_t toInteger(double value) {
  return value >= 0x1p63 ? INT64_MAX : int64_t(value);
}

double integerError(double value) {
  return std::abs(value) > kExactInteger ? std::abs(value) * 0x1p-52 : 0;
}

using IntegerFunction = std::function<int64_t(int64_t, int64_t)>;

/// `f` modulo the width of `dtype`; operands are exact, or the result may be
/// anything. Unary functions ignore the second argument.
static ScalarMeaning integer(Type dtype, unsigned operandCount,
                             IntegerFunction f) {
  return [=](const Bounded *operands) -> Meaning {
    const Bounded &x = operands[0], &y = operands[operandCount - 1];
    if (x.error + y.error > 0) {
      return kUnknown;
    }
    int64_t result = f(toInteger(x.value), toInteger(y.value));
    double value = double(wrapToDtype(result, dtype));
    return {value, integerError(value), 0};
  };
}

static int64_t quotient(int64_t x, int64_t y) {
  return y == 0 ? 0 : y == -1 ? int64_t(-uint64_t(x)) : x / y;
}

ScalarMeaning integerMeaning(Operation *op) {
  Type dtype = dtypeOf(op->getResult(0));
  // Unsigned arithmetic wraps where signed is undefined.
  auto binaryOp = [&](IntegerFunction f) { return integer(dtype, 2, f); };
  auto unaryOp = [&](IntegerFunction f) { return integer(dtype, 1, f); };
  return llvm::TypeSwitch<Operation *, ScalarMeaning>(op)
      .Case([&](graph::AddOp) {
        return binaryOp(
            [](int64_t x, int64_t y) { return uint64_t(x) + uint64_t(y); });
      })
      .Case([&](graph::SubOp) {
        return binaryOp(
            [](int64_t x, int64_t y) { return uint64_t(x) - uint64_t(y); });
      })
      .Case([&](graph::MulOp) {
        return binaryOp(
            [](int64_t x, int64_t y) { return uint64_t(x) * uint64_t(y); });
      })
      .Case([&](graph::DivOp) { return binaryOp(quotient); })
      .Case([&](graph::ModOp) {
        return binaryOp([](int64_t x, int64_t y) {
          if (y == 0 || y == -1) {
            return int64_t(0);
          }
          int64_t rest = x % y;
          return rest != 0 && (rest < 0) != (y < 0) ? rest + y : rest;
        });
      })
      .Case([&](graph::AndOp) { return binaryOp(std::bit_and<>()); })
      .Case([&](graph::OrOp) { return binaryOp(std::bit_or<>()); })
      .Case([&](graph::XorOp) { return binaryOp(std::bit_xor<>()); })
      .Case([&](graph::NotOp) {
        return unaryOp([](int64_t x, int64_t) { return ~x; });
      })
      .Case([&](graph::SignOp) {
        return unaryOp([](int64_t x, int64_t) { return (x > 0) - (x < 0); });
      })
      .Case([&](graph::MaxOp) {
        return binaryOp([](int64_t x, int64_t y) { return std::max(x, y); });
      })
      .Case([&](graph::MinOp) {
        return binaryOp([](int64_t x, int64_t y) { return std::min(x, y); });
      })
      .Case([&](graph::NegOp) {
        return unaryOp([](int64_t x, int64_t) { return -uint64_t(x); });
      })
      .Case([&](graph::AbsOp) {
        return unaryOp(
            [](int64_t x, int64_t) { return x < 0 ? -uint64_t(x) : x; });
      })
      .Default(ScalarMeaning());
}

} // namespace minic::reference
