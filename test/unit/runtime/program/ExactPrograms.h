// SPDX-License-Identifier: Apache-2.0
//
// Programs of n x n tensors whose values are small integers, so that every sum
// is exact in every order and results can be compared bit for bit.

#ifndef MINIC_TEST_UNIT_RUNTIME_PROGRAM_EXACTPROGRAMS_H
#define MINIC_TEST_UNIT_RUNTIME_PROGRAM_EXACTPROGRAMS_H

#include "test/unit/runtime/testing/TestArtifact.h"

namespace minic::testing {

using Floats = std::vector<float>;

constexpr int64_t n = 32;
constexpr uint64_t matrixBytes = n * n * sizeof(float);

/// What y is for the caller's x.
using Reference = Floats (*)(const Floats &x);

/// y = (2 * x + 1) + (2 * w + 1), the latter computed once at load.
TestArtifact kernelArtifact();
Floats kernelReference(const Floats &x);

/// y = (2 * x + 1) * w * w, by cuBLAS, then by cuBLASLt.
TestArtifact libraryArtifact();
Floats libraryReference(const Floats &x);

} // namespace minic::testing

#endif // MINIC_TEST_UNIT_RUNTIME_PROGRAM_EXACTPROGRAMS_H
