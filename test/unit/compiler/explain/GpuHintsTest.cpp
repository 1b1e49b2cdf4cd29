// SPDX-License-Identifier: Apache-2.0
//
// Hints about fusions whose choice is given; what a compilation leads to is in
// test/pipeline/gpu-hints.mlir and gpu-launch-hints.mlir.

#include "compiler/explain/GpuHints.h"

#include "compiler/target/cuda/CudaProfile.h"
#include "dialects/RegisterDialects.h"

#include "mlir/Parser/Parser.h"

#include "gmock/gmock.h"

namespace minic {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::Each;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

std::vector<std::string> hintsOf(const std::string &text,
                                 const CompileOptions &options = {},
                                 const std::set<std::string> &checked = {},
                                 bool canMeasure = true) {
  mlir::DialectRegistry registry;
  registerDialects(registry);
  mlir::MLIRContext context(registry);
  auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  if (!module) {
    ADD_FAILURE() << "not parsed: " << text;
    return {};
  }
  auto target = createCudaTarget(*cuda::getCudaProfile("h200"));
  return collectHints(*module, *target, options, canMeasure, checked)["main"];
}

/// A linear and a relu in a kernel of its own, as `origin` has it.
std::string apart(const std::string &origin) {
  return R"(
#gemm = #kernel.impl<family = "cublas", schedule = {}>
#rest = #kernel.impl<family = "pointwise", schedule = {}>
func.func @main(%x: tensor<256x512xbf16>, %w: tensor<512x512xbf16>)
    -> tensor<256x512xbf16> {
  %0 = kernel.fusion (%a = %x : tensor<256x512xbf16>,
                      %b = %w : tensor<512x512xbf16>) -> tensor<256x512xbf16>
      attributes {provenance = {origin = ")" +
         origin + R"("}, choice = #kernel.choice<parts = [
        #kernel.part<ops = [0], impl = #gemm, operands = [unit, unit]>,
        #kernel.part<ops = [1], impl = #rest, operands = [unit]>]>} {
    %1 = graph.linear %a, %b
      : (tensor<256x512xbf16>, tensor<512x512xbf16>) -> tensor<256x512xbf16>
    %2 = graph.relu %1 : tensor<256x512xbf16>
    kernel.yield %2 : tensor<256x512xbf16>
  }
  return %0 : tensor<256x512xbf16>
})";
}

TEST(GpuHintsTest, MeasuredChoicesAreCalledThat) {
  EXPECT_THAT(hintsOf(apart("tuned")),
              AllOf(Contains(EndsWith(
                        "relu(256x512, 512x512) bf16: 2 launches were chosen "
                        "by measuring over one of gemm_sm80, gemm_sm90, "
                        "cublaslt or cudnn_matmul")),
                    Each(Not(HasSubstr("untuned")))));
}

TEST(GpuHintsTest, NothingIsAdvisedThatCannotBeMeasured) {
  EXPECT_THAT(hintsOf(apart("heuristic")),
              Contains(EndsWith("untuned: chosen by an estimate; "
                                "--mode=max-autotune measures")));
  EXPECT_THAT(
      hintsOf(apart("heuristic"), {}, {}, /*canMeasure=*/false),
      AllOf(Contains(EndsWith("untuned: chosen by an estimate; this machine "
                              "has no such device to measure on")),
            Each(Not(HasSubstr("max-autotune")))));
}

TEST(GpuHintsTest, ADefaultPlanThatWonIsNotUntuned) {
  EXPECT_THAT(hintsOf(apart("heuristic"), {}, {"main"}),
              AllOf(Contains(HasSubstr("2 launches were chosen by the "
                                       "whole-model check over one of ")),
                    Each(Not(HasSubstr("untuned")))));
  EXPECT_THAT(hintsOf(apart("heuristic"), {}, {"another"}),
              Contains(HasSubstr("untuned")));
}

TEST(GpuHintsTest, WhatAnEstimateMayNotTakeIsNoAlternative) {
  CompileOptions options;
  options.deterministic = true;
  EXPECT_THAT(
      hintsOf(apart("heuristic"), options),
      Contains(EndsWith("by estimate over one of gemm_sm80 or gemm_sm90")));
  options.deterministic = false;
  options.gemmBackends = {"aten", "library-fused"};
  EXPECT_THAT(hintsOf(apart("heuristic"), options),
              Contains(EndsWith("by estimate over one of cublaslt")));
  options.propagateNan = true;
  EXPECT_THAT(hintsOf(apart("heuristic"), options),
              Contains(EndsWith("one launch is possible: --gemm-backends "
                                "leaves out gemm_sm80, --gemm-backends leaves "
                                "out gemm_sm90, --propagate-nan leaves out "
                                "cublaslt, --gemm-backends leaves out "
                                "cudnn_matmul")));
}

/// A matmul of a transposed lhs, K x M, by a constant, K x N.
std::string product(int m, int n, int k) {
  auto tensor = [](int rows, int columns) {
    return "tensor<" + std::to_string(rows) + "x" + std::to_string(columns) +
           "xbf16>";
  };
  std::string lhs = tensor(k, m), rhs = tensor(k, n), result = tensor(m, n);
  return "func.func @main(%x: " + lhs + ") -> " + result +
         " {\n  %w = graph.constant dense<1.0> : " + rhs +
         "\n  %0 = kernel.fusion (%a = %x : " + lhs + ", %b = %w : " + rhs +
         ") -> " + result +
         " {\n    %1 = graph.matmul %a, %b {transpose_lhs} : (" + lhs + ", " +
         rhs + ") -> " + result + "\n    kernel.yield %1 : " + result +
         "\n  }\n  return %0 : " + result + "\n}";
}

TEST(GpuHintsTest, ARowIsOfTheOperandsOwnDimension) {
  EXPECT_THAT(hintsOf(product(1000, 512, 123)), IsEmpty());
  EXPECT_THAT(
      hintsOf(product(1001, 512, 128)),
      Contains(HasSubstr("M = 1001 is unaligned: rows of the left operand are "
                         "no multiple of 16 bytes")));
  EXPECT_THAT(hintsOf(product(1000, 513, 128)),
              Contains(HasSubstr("N = 513 is unaligned: rows of the result")));
}

} // namespace
} // namespace minic
