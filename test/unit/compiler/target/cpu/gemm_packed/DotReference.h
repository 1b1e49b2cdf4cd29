// SPDX-License-Identifier: Apache-2.0
//
// DotReference: one element of a product in float64, and how far a right kernel
// may be from it.

#ifndef MINIC_TEST_UNIT_COMPILER_TARGET_CPU_GEMM_PACKED_DOTREFERENCE_H
#define MINIC_TEST_UNIT_COMPILER_TARGET_CPU_GEMM_PACKED_DOTREFERENCE_H

#include "test/unit/compiler/target/cpu/gemm_packed/TestTensor.h"

#include <string>

namespace minic::cpu {

/// sum over k of lhs[k] * rhs[k], and of its terms' absolute values.
struct Dot {
  double value = 0, magnitude = 0;
};

Dot dot(const TestTensor &lhs, int64_t lhsAt, int64_t lhsStride,
        const TestTensor &rhs, int64_t rhsAt, int64_t rhsStride, int64_t k);

/// Expects the element of `result` that sums `k` terms to be as near as f32
/// sums and its own dtype allow; `what` names it in the message.
void expectNear(const TestTensor &result, int64_t at, double expected,
                double magnitude, int64_t k, const std::string &what);

} // namespace minic::cpu

#endif // MINIC_TEST_UNIT_COMPILER_TARGET_CPU_GEMM_PACKED_DOTREFERENCE_H
