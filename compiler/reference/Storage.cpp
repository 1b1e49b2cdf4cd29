// SPDX-License-Identifier: Apache-2.0
//
// Rounding to the float dtypes by scaling, and wrapping to the integer ones.

#include "compiler/reference/Storage.h"

#include "mlir/IR/BuiltinTypes.h"

#include <cmath>

namespace minic::reference {

double FloatFormat::roundoff() const { return std::ldexp(1.0, -precision); }

FloatFormat getFloatFormat(mlir::Type dtype) {
  if (dtype.isBF16()) {
    return {8, -133, 0x1.fep127, 0x1.ffp127, 0x1p-126};
  }
  if (dtype.isF16()) {
    return {11, -24, 65504.0, 65520.0, 0x1p-14};
  }
  return {24, -149, 0x1.fffffep127, 0x1.ffffffp127, 0x1p-126};
}

double roundToDtype(double value, mlir::Type dtype) {
  FloatFormat format = getFloatFormat(dtype);
  if (value == 0 || !std::isfinite(value)) {
    return value;
  }
  if (std::abs(value) >= format.overflow) {
    return std::copysign(HUGE_VAL, value);
  }
  int exponent; // value = fraction in [0.5, 1) * 2^exponent
  std::frexp(value, &exponent);
  int step = std::max(exponent - format.precision, format.smallestExponent);
  return std::ldexp(std::nearbyint(std::ldexp(value, -step)), step);
}

double storageError(double magnitude, mlir::Type dtype) {
  if (magnitude == 0) {
    return 0;
  }
  FloatFormat format = getFloatFormat(dtype);
  if (magnitude >= format.smallestNormal) {
    return format.roundoff() * magnitude;
  }
  // Conversions to f16 keep subnormals; hardware's to bf16 and float32
  // arithmetic in some modes flush them.
  return dtype.isF16() ? std::ldexp(0.5, format.smallestExponent)
                       : format.smallestNormal;
}

int64_t wrapToDtype(int64_t value, mlir::Type dtype) {
  if (dtype.isInteger(1)) {
    return value & 1;
  }
  if (dtype.isInteger(8)) {
    return dtype.isUnsignedInteger() ? int64_t(uint8_t(value))
                                     : int64_t(int8_t(value));
  }
  return dtype.isInteger(32) ? int32_t(value) : value;
}

} // namespace minic::reference
