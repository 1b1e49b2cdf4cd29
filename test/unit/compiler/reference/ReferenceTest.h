// SPDX-License-Identifier: Apache-2.0
//
// ReferenceTest: evaluates functions written as text.

#ifndef MINIC_TEST_UNIT_COMPILER_REFERENCE_REFERENCETEST_H
#define MINIC_TEST_UNIT_COMPILER_REFERENCE_REFERENCETEST_H

#include "compiler/reference/Evaluator.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <gtest/gtest.h>

#include <random>

namespace minic::reference {

class ReferenceTest : public testing::Test {
protected:
  ReferenceTest();

  /// The block of the only function of `text`.
  mlir::Block &parse(const std::string &text);

  /// Evaluates `text` on float32 arguments; fails the test on an error.
  std::vector<runtime::ExpectedOutput>
  evaluateText(const std::string &text,
               const std::vector<std::vector<float>> &arguments,
               const EvaluationOptions &options = {});

  /// The only result of a unary `op` (with attributes) applied to `x` of
  /// `dtype`, for example ("graph.exp", {0, 1}).
  runtime::ExpectedOutput unary(const std::string &op,
                                const std::vector<float> &x);
  runtime::ExpectedOutput binary(const std::string &op,
                                 const std::vector<float> &x,
                                 const std::vector<float> &y);

  /// Diagnostics of the last failure.
  std::string error;
  mlir::MLIRContext context;

private:
  mlir::OwningOpRef<mlir::ModuleOp> module_;
};

/// `count` floats uniform in [low, high].
std::vector<float> randomFloats(int64_t count, uint64_t seed, float low = -1,
                                float high = 1);

/// `x` rounded to bf16 and back.
float roundToBf16(float x);
/// The same as bytes of a bf16 tensor.
std::vector<uint16_t> toBf16(const std::vector<float> &x);
float fromBf16(uint16_t bits);

/// How many of `got` are outside of `expected`.
int64_t countMismatches(const runtime::ExpectedOutput &expected,
                        const std::vector<float> &got);

} // namespace minic::reference

#endif // MINIC_TEST_UNIT_COMPILER_REFERENCE_REFERENCETEST_H
