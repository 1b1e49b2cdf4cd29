// SPDX-License-Identifier: Apache-2.0
//
// ReferenceCheck: results of a fusion beside its float64 reference.

#ifndef MINIC_TEST_UNIT_COMPILER_TARGET_CPU_REFERENCECHECK_H
#define MINIC_TEST_UNIT_COMPILER_TARGET_CPU_REFERENCECHECK_H

#include "compiler/reference/Evaluator.h"
#include "dialects/kernel/FusionShape.h"
#include "runtime/measure/ExpectedOutputs.h"
#include "test/unit/compiler/target/cpu/gemm_packed/TestTensor.h"

#include "gtest/gtest.h"

namespace minic::cpu {

/// Evaluates the reference once, for the inputs of the first call.
class ReferenceCheck {
public:
  /// Expects every result of `fusion` to meet its tolerance.
  void expect(kernel::FusionOp fusion, std::vector<TestTensor> &inputs,
              std::vector<TestTensor> &results) {
    if (expected_.empty()) {
      reference::Inputs given;
      for (TestTensor &input : inputs) {
        given.arguments.push_back(input.data());
      }
      auto evaluated = reference::evaluate(fusion.getBody().front(), given);
      ASSERT_TRUE(mlir::succeeded(evaluated));
      expected_ = std::move(*evaluated);
    }
    for (size_t i = 0; i != results.size(); ++i) {
      runtime::Comparison comparison =
          runtime::compare(expected_[i], results[i].data());
      ASSERT_TRUE(comparison.matches) << comparison.detail;
      ASSERT_TRUE(results[i].guardIntact()) << "wrote past the end";
    }
  }

private:
  std::vector<runtime::ExpectedOutput> expected_;
};

} // namespace minic::cpu

#endif // MINIC_TEST_UNIT_COMPILER_TARGET_CPU_REFERENCECHECK_H
