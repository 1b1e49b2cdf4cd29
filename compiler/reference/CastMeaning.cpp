// SPDX-License-Identifier: Apache-2.0
//
// Casts: what the two dtypes make of a value.

#include "compiler/reference/CarriedError.h"
#include "compiler/reference/PointwiseMeanings.h"
#include "compiler/reference/Storage.h"

using namespace mlir;

namespace minic::reference {

ScalarMeaning castMeaning(graph::CastOp op) {
  Type from = dtypeOf(op.getInput()), to = dtypeOf(op.getResult());
  if (to.isInteger(1)) {
    return [](const Bounded *operands) -> Meaning {
      const Bounded &x = operands[0];
      return {x.value != 0 ? 1.0 : 0.0,
              x.error > 0 && !(std::abs(x.value) > x.error) ? 1.0 : 0.0, 0};
    };
  }
  if (isa<IntegerType>(to) && isa<IntegerType>(from)) {
    return [=](const Bounded *operands) -> Meaning {
      auto [x, error] = operands[0];
      double wrapped = double(wrapToDtype(toInteger(x), to));
      return {wrapped, wrapped == x || error == 0 ? error : kAnything, 0};
    };
  }
  if (isa<IntegerType>(to)) {
    bool isSigned = !to.isUnsignedInteger();
    double limit = std::ldexp(1.0, to.getIntOrFloatBitWidth() - isSigned);
    double least = isSigned ? -limit : 0;
    return [=](const Bounded *operands) -> Meaning {
      static const ScalarMeaning f =
          unary([](double x) { return std::trunc(x); });
      auto [x, error] = operands[0];
      // Out of range, and NaN, are undefined.
      bool fits = x + error < limit && x - error > least - 1;
      return fits ? f(operands) : kUnknown;
    };
  }
  return [=](const Bounded *operands) -> Meaning {
    auto [x, error] = operands[0];
    // Integers go through float32 and may be rounded twice on the way.
    bool isOneRounding = isa<FloatType>(from) || std::abs(x) < 0x1p24;
    if (error == 0 && isOneRounding) {
      bool mayFlush = x != 0 && std::abs(x) < kSmallestNormal && !to.isF16();
      return {roundToDtype(x, to), 0, mayFlush ? kSmallestNormal : 0};
    }
    bool widens = isa<FloatType>(from) && (to.isF32() || from == to);
    double magnitude = std::abs(x) + error;
    double rounding =
        widens || !std::isfinite(magnitude) ? 0 : storageError(magnitude, to);
    if (!isOneRounding) {
      rounding += kRoundoff * magnitude;
    }
    return {x, error, rounding};
  };
}

} // namespace minic::reference
