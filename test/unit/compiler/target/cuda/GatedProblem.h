// SPDX-License-Identifier: Apache-2.0
//
// GatedProblem: a product whose columns are a gate and a value in turn, as text
// and as doubles.

#ifndef MINIC_TEST_UNIT_COMPILER_TARGET_CUDA_GATEDPROBLEM_H
#define MINIC_TEST_UNIT_COMPILER_TARGET_CUDA_GATEDPROBLEM_H

#include "test/unit/compiler/target/cpu/gemm_packed/TestTensor.h"
#include "test/unit/dialects/kernel/TensorText.h"

#include "llvm/Support/FormatVariadic.h"

#include <gtest/gtest.h>

#include <cmath>

namespace minic::cuda {

/// y = relu(g) v + r for g and v, even and odd columns of x W^T + b. m x k
/// times k x 2n. Without `addsMore` nothing is added that differs by row.
struct GatedProblem {
  int64_t m, n, k;
  std::string dtype = "bf16";
  bool addsMore = true;

  std::vector<std::string> arguments() const {
    return {tensor({m, k}, dtype), tensor({2 * n, k}, dtype),
            tensor({2 * n}, dtype), result()};
  }
  std::string result() const { return tensor({m, n}, dtype); }
  std::string body() const {
    std::vector<std::string> of = arguments();
    std::string both = tensor({m, 2 * n}, dtype);
    return llvm::formatv(
               "%l = graph.linear %0, %1, %2 : ({0}, {1}, {2}) -> {3}\n"
               "%g = graph.slice %l [0, 0] to [{5}, {6}] by [1, 2] : {3} -> "
               "{4}\n"
               "%a = graph.relu %g : {4}\n"
               "%v = graph.slice %l [0, 1] to [{5}, {6}] by [1, 2] : {3} -> "
               "{4}\n"
               "%p = graph.mul %a, %v : ({4}, {4}) -> {4}\n"
               "%s = graph.add %p, %3 : ({4}, {4}) -> {4}\n"
               "kernel.yield %{7} : {4}",
               of[0], of[1], of[2], both, result(), m, 2 * n,
               addsMore ? "s" : "p")
        .str();
  }

  /// `products`: the relative error of one product.
  void check(std::vector<cpu::TestTensor> &inputs, cpu::TestTensor &found,
             double products = 3e-6) const {
    int bad = 0;
    for (int64_t at = 0; at != m * n; ++at) {
      double sums[2], sizes[2];
      for (int64_t turn : {0, 1}) {
        int64_t column = at % n * 2 + turn;
        double &sum = sums[turn] = inputs[2].get(column);
        double &size = sizes[turn] = 1;
        for (int64_t i = 0; i != k; ++i) {
          double product =
              inputs[0].get(at / n * k + i) * inputs[1].get(column * k + i);
          sum += product;
          size += std::abs(product);
        }
      }
      double gate = std::max(sums[0], 0.0);
      double expected = gate * sums[1] + (addsMore ? inputs[3].get(at) : 0.0);
      double tolerance =
          products * (sizes[0] * std::abs(sums[1]) + sizes[1] * gate + 1) +
          found.roundoff() * (std::abs(expected) + 1e-3);
      if (!(std::abs(found.get(at) - expected) <= tolerance) && ++bad < 4) {
        ADD_FAILURE() << "at " << at / n << ", " << at % n << ": "
                      << found.get(at) << " instead of " << expected;
      }
    }
    EXPECT_EQ(bad, 0);
  }
};

} // namespace minic::cuda

#endif // MINIC_TEST_UNIT_COMPILER_TARGET_CUDA_GATEDPROBLEM_H
