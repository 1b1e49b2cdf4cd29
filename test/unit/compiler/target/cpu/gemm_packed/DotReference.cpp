// SPDX-License-Identifier: Apache-2.0
//
// Products in float64.

#include "test/unit/compiler/target/cpu/gemm_packed/DotReference.h"

#include "gtest/gtest.h"

#include <cmath>

namespace minic::cpu {

Dot dot(const TestTensor &lhs, int64_t lhsAt, int64_t lhsStride,
        const TestTensor &rhs, int64_t rhsAt, int64_t rhsStride, int64_t k) {
  Dot result;
  for (int64_t i = 0; i != k; ++i) {
    double term =
        lhs.get(lhsAt + i * lhsStride) * rhs.get(rhsAt + i * rhsStride);
    result.value += term;
    result.magnitude += std::fabs(term);
  }
  return result;
}

void expectNear(const TestTensor &result, int64_t at, double expected,
                double magnitude, int64_t k, const std::string &what) {
  if (result.isInteger()) {
    ASSERT_EQ(result.get(at), expected) << what << " [" << at << "]";
    return;
  }
  double tolerance = result.roundoff() * std::fabs(expected) +
                     6e-8 * double(k + 8) * magnitude + 1e-6;
  double got = result.get(at);
  ASSERT_TRUE(std::fabs(got - expected) <= tolerance)
      << what << " [" << at << "]: expected " << expected << ", got " << got
      << ", tolerance " << tolerance;
}

} // namespace minic::cpu
