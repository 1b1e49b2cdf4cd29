// SPDX-License-Identifier: Apache-2.0
//
// SplitFloatCases: operands on which split float32 products could be slightly
// wrong, and what IEEE float32 says of their products. For the interpreter and
// for a GPU.

#ifndef MINIC_TEST_UNIT_COMPILER_TARGET_CUDA_GEMM_SM80_SPLITFLOATCASES_H
#define MINIC_TEST_UNIT_COMPILER_TARGET_CUDA_GEMM_SM80_SPLITFLOATCASES_H

#include "compiler/reference/Tolerance.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <random>
#include <vector>

namespace minic::cuda {

/// y = lhs rhs^T of rows that are contiguous in K.
struct SplitFloatCase {
  int64_t m, n, k;
  std::vector<float> lhs = std::vector<float>(size_t(m * k)),
                     rhs = std::vector<float>(size_t(n * k));

  /// Between `low` and 1.
  void fillRandom(float low) {
    std::mt19937 generator(7);
    std::uniform_real_distribution<float> uniform(low, 1);
    for (std::vector<float> *operand : {&lhs, &rhs}) {
      for (float &element : *operand) {
        element = uniform(generator);
      }
    }
  }

  /// Each special number meets each other at `at` of K, and others at `later`.
  void placeSpecials(int64_t at, int64_t later) {
    constexpr float infinity = std::numeric_limits<float>::infinity(),
                    largest = std::numeric_limits<float>::max();
    const std::array specials = {
        0.0f,      infinity, 1.0f,      -infinity, largest,  std::nanf(""),
        -largest,  -0.0f,    4097.3f,   0x1p-126f, 0x1p127f, 0x1.fffp-100f,
        0x1.8p-2f, -1.0f,    0x1p-130f, 3.3e38f};
    for (int64_t i = 0; i != m; ++i) {
      lhs[size_t(i * k + at)] = specials[size_t(i) % specials.size()];
      lhs[size_t(i * k + later)] =
          specials[size_t(3 * i + 2) % specials.size()];
    }
    for (int64_t j = 0; j != n; ++j) {
      rhs[size_t(j * k + at)] = specials[size_t(j) % specials.size()];
      rhs[size_t(j * k + later)] =
          specials[size_t(5 * j + 2) % specials.size()];
    }
  }

  /// Whether `found` is what IEEE float32 may give for element i, j: NaN, the
  /// same infinity, or within the reference's bound.
  bool isRight(int64_t i, int64_t j, float found) const {
    double sum = 0, positive = 0, negative = 0;
    for (int64_t at = 0; at != k; ++at) {
      double product =
          double(lhs[size_t(i * k + at)]) * double(rhs[size_t(j * k + at)]);
      sum += product;
      (product > 0 ? positive : negative) += product;
    }
    if (std::isnan(sum)) {
      return std::isnan(found);
    }
    if (std::isinf(sum)) {
      return double(found) == sum;
    }
    // Overflow on the way, which may be met by another of the other sign.
    constexpr double edge = reference::kLargest * (1 - 0x1p-20);
    if (positive > edge || -negative > edge) {
      return (positive > edge && -negative > edge) ||
             (positive > edge ? found > 0 : found < 0);
    }
    double bound =
        reference::reductionError(double(k), sum, positive - negative);
    return std::abs(double(found) - sum) <= bound;
  }

  void expectRight(const std::vector<float> &found) const {
    int wrong = 0;
    for (int64_t at = 0; at != m * n; ++at) {
      if (!isRight(at / n, at % n, found[size_t(at)]) && ++wrong < 8) {
        ADD_FAILURE() << found[size_t(at)] << " at " << at / n << ", "
                      << at % n;
      }
    }
    EXPECT_EQ(wrong, 0);
  }

  /// No further from float64 than float32 that is added up in order.
  void expectAsAccurateAsFloat32(const std::vector<float> &found) const {
    double worst = 0, worstInOrder = 0;
    for (int64_t at = 0; at != m * n; ++at) {
      double sum = 0;
      float inOrder = 0;
      for (int64_t i = 0; i != k; ++i) {
        float a = lhs[size_t(at / n * k + i)], b = rhs[size_t(at % n * k + i)];
        sum += double(a) * double(b);
        inOrder = std::fma(a, b, inOrder);
      }
      worst = std::max(worst, std::abs(double(found[size_t(at)]) - sum));
      worstInOrder = std::max(worstInOrder, std::abs(double(inOrder) - sum));
    }
    EXPECT_LE(worst, worstInOrder);
    std::printf("K = %d: worst error %.2g, of float32 in order %.2g\n", int(k),
                worst, worstInOrder);
  }
};

} // namespace minic::cuda

#endif // MINIC_TEST_UNIT_COMPILER_TARGET_CUDA_GEMM_SM80_SPLITFLOATCASES_H
