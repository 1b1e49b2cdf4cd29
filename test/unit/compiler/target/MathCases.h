// SPDX-License-Identifier: Apache-2.0
//
// Operands that show how accurate a function of one float32 is, and a measure.

#ifndef MINIC_TEST_UNIT_COMPILER_TARGET_MATHCASES_H
#define MINIC_TEST_UNIT_COMPILER_TARGET_MATHCASES_H

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

namespace minic::testing {

using Floats = std::vector<float>;

/// Distance in units in the last place that `expected` has as a float32;
/// infinite where one of them is NaN or infinite and the other is not.
inline double ulps(float got, double expected) {
  if (std::isnan(expected) || std::isnan(got)) {
    return std::isnan(expected) == std::isnan(got) ? 0 : INFINITY;
  }
  if (std::isinf(float(expected)) || std::isinf(got)) {
    // Just below overflow either is right.
    bool isNear = std::fabs(expected) > 3.40282e38 && std::fabs(got) > 3.4e38 &&
                  std::fabs(expected) < 3.40283e38;
    return float(expected) == got || isNear ? 0 : INFINITY;
  }
  int exponent = expected == 0 ? -126 : std::ilogb(expected);
  return std::fabs(got - expected) /
         std::ldexp(1.0, std::max(exponent, -126) - 23);
}

/// 2^18 values: edges, then every 16384th bit pattern or one near it.
inline Floats spreadFloats() {
  Floats values = {0.0f,    -0.0f,     INFINITY, -INFINITY,    NAN,
                   1.0f,    88.72284f, 88.7228f, -87.3366f,    -103.9721f,
                   -104.1f, 1e-45f,    -1e-45f,  3.4028235e38f};
  for (uint64_t i = values.size(); i != uint64_t(1) << 18; ++i) {
    uint32_t bits = uint32_t(i << 14 | i * 7919 % (1 << 14));
    float value;
    std::memcpy(&value, &bits, 4);
    values.push_back(value);
  }
  return values;
}

} // namespace minic::testing

#endif // MINIC_TEST_UNIT_COMPILER_TARGET_MATHCASES_H
