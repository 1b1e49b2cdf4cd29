// SPDX-License-Identifier: Apache-2.0
//
// Products that kernels of gemm_sm90 make, run by the interpreter and compared
// with sums in double.

#ifndef MINIC_TEST_UNIT_COMPILER_TARGET_CUDA_GEMM_SM90_CHECKEDPRODUCTS_H
#define MINIC_TEST_UNIT_COMPILER_TARGET_CUDA_GEMM_SM90_CHECKEDPRODUCTS_H

#include "compiler/target/cuda/gemm/GemmLowering.h"
#include "compiler/target/cuda/gemm_sm90/GemmSm90Family.h"
#include "compiler/target/cuda/gemm_sm90/GemmSm90Geometry.h"
#include "test/unit/compiler/target/cuda/GatedProblem.h"
#include "test/unit/compiler/target/cuda/InterpretedFusion.h"
#include "test/unit/compiler/target/cuda/gemm_sm90/Schedules.h"
#include "test/unit/dialects/kernel/TensorText.h"

#include <gtest/gtest.h>

#include <cmath>

namespace minic::cuda {

/// Runs `one`, and checks what the assembler says of it.
inline void run(InterpretedFusion &fusion, const GemmSm90Schedule &one) {
  std::string reason;
  auto shape = kernel::FusionShape::get(fusion.fusion, &reason,
                                        kernel::ColumnTurns::Taken);
  ASSERT_TRUE(mlir::succeeded(shape)) << reason;
  auto geometry = GemmSm90Geometry::get(*shape, one, &reason);
  ASSERT_TRUE(mlir::succeeded(geometry)) << toString(one) << ": " << reason;
  mlir::MLIRContext *context = fusion.fusion.getContext();
  Implementation made;
  made.impl =
      kernel::ImplAttr::get(context, "gemm_sm90", toAttribute(one, context));
  made.operandLayouts = operandLayouts(fusion.fusion, geometry->copied());
  made.name = toString(one);
  DeviceProfile profile = *getArchProfile("sm_90a");
  profile.assemblerMovesRegisters = true;
  ASSERT_NO_FATAL_FAILURE(fusion.run(GemmSm90Family(), made, profile));
  ASSERT_EQ(fusion.resources.size(), 1u);
  EXPECT_EQ(fusion.resources[0].spillBytes, 0) << toString(one);
  EXPECT_FALSE(fusion.resources[0].serializesWgmma) << toString(one);
}

/// y = relu(x W^T + b) + r, or without r, checked.
inline void checkLinear(int64_t m, int64_t n, int64_t k,
                        const std::string &dtype, const GemmSm90Schedule &one,
                        bool rhsIsConstant, bool addsMore) {
  SCOPED_TRACE(std::to_string(m) + "x" + std::to_string(n) + "x" +
               std::to_string(k) + " " + dtype);
  std::string x = tensor({m, k}, dtype), w = tensor({n, k}, dtype),
              b = tensor({n}, dtype), y = tensor({m, n}, dtype);
  InterpretedFusion fusion(
      {x, w, b, y}, y,
      "%l = graph.linear %0, %1, %2 : (" + x + ", " + w + ", " + b + ") -> " +
          y + "\n%r = graph.relu %l : " + y + "\n%s = graph.add %r, %3 : (" +
          y + ", " + y + ") -> " + y + "\nkernel.yield " +
          (addsMore ? "%s" : "%r") + " : " + y);
  if (rhsIsConstant) {
    noteConstantOperands(fusion.fusion, {1, 2});
  }
  ASSERT_NO_FATAL_FAILURE(run(fusion, one));
  int bad = 0;
  for (int64_t at = 0; at != m * n; ++at) {
    double sum = 0, size = 0;
    for (int64_t i = 0; i != k; ++i) {
      double product = fusion.inputs[0].get(at / n * k + i) *
                       fusion.inputs[1].get(at % n * k + i);
      sum += product;
      size += std::abs(product);
    }
    double bias = fusion.inputs[2].get(at % n);
    double more = addsMore ? fusion.inputs[3].get(at) : 0;
    double expected = std::max(sum + bias, 0.0) + more;
    double tolerance = 3e-6 * (size + 1) + fusion.results[0].roundoff() *
                                               (std::abs(expected) + 1e-3);
    double found = fusion.results[0].get(at);
    if (!(std::abs(found - expected) <= tolerance) && ++bad < 4) {
      ADD_FAILURE() << "at " << at / n << ", " << at % n << ": " << found
                    << " instead of " << expected << " with " << toString(one);
    }
  }
  EXPECT_EQ(bad, 0);
}
/// Without r, results of whole accesses are made in registers.
inline void checkLinear(int64_t m, int64_t n, int64_t k,
                        const std::string &dtype, const GemmSm90Schedule &one,
                        bool rhsIsConstant = false) {
  for (bool addsMore : {true, false}) {
    if (addsMore || n % 8 == 0) {
      checkLinear(m, n, k, dtype, one, rhsIsConstant, addsMore);
    }
  }
}

inline void checkGated(GatedProblem problem, const GemmSm90Schedule &one) {
  for (bool addsMore : {true, false}) {
    problem.addsMore = addsMore;
    SCOPED_TRACE(toString(one) + (addsMore ? "" : ", in registers if it fits"));
    InterpretedFusion fusion(problem.arguments(), problem.result(),
                             problem.body());
    ASSERT_NO_FATAL_FAILURE(run(fusion, one));
    problem.check(fusion.inputs, fusion.results[0]);
  }
}

/// Batches of matmul with every layout of operands; rhs of a batch of 1.
inline void checkMatmuls(int64_t m, int64_t n, int64_t k,
                         const GemmSm90Schedule &one) {
  for (bool transposeLhs : {false, true}) {
    for (bool transposeRhs : {false, true}) {
      for (int64_t rhsBatch : {3, 1}) {
        std::string a = transposeLhs ? tensor({2, 3, k, m}, "bf16")
                                     : tensor({2, 3, m, k}, "bf16");
        std::string b = transposeRhs ? tensor({rhsBatch, n, k}, "bf16")
                                     : tensor({rhsBatch, k, n}, "bf16");
        std::string y = tensor({2, 3, m, n}, "bf16");
        std::string flags = std::string(transposeLhs ? "transpose_lhs" : "") +
                            (transposeLhs && transposeRhs ? ", " : "") +
                            (transposeRhs ? "transpose_rhs" : "");
        SCOPED_TRACE(flags + std::to_string(rhsBatch));
        InterpretedFusion fusion({a, b}, y,
                                 "%l = graph.matmul %0, %1 {" + flags +
                                     "} : (" + a + ", " + b + ") -> " + y +
                                     "\nkernel.yield %l : " + y);
        ASSERT_NO_FATAL_FAILURE(run(fusion, one));
        int bad = 0;
        for (int64_t at = 0; at != 6 * m * n; ++at) {
          int64_t batch = at / (m * n), row = at / n % m, column = at % n;
          int64_t other = rhsBatch == 1 ? 0 : batch % 3;
          double sum = 0;
          for (int64_t i = 0; i != k; ++i) {
            int64_t x = transposeLhs ? i * m + row : row * k + i;
            int64_t w = transposeRhs ? column * k + i : i * n + column;
            sum += fusion.inputs[0].get(batch * m * k + x) *
                   fusion.inputs[1].get(other * n * k + w);
          }
          double found = fusion.results[0].get(at);
          bad += !(std::abs(found - sum) <= 4e-3 * std::abs(sum) + 1e-4);
        }
        EXPECT_EQ(bad, 0);
      }
    }
  }
}

} // namespace minic::cuda

#endif // MINIC_TEST_UNIT_COMPILER_TARGET_CUDA_GEMM_SM90_CHECKEDPRODUCTS_H
