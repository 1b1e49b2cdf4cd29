// SPDX-License-Identifier: Apache-2.0
//
// linear and matmul against plain loops, with every transposition and
// broadcast batch; layout ops; infinities and NaN.

#include "test/unit/compiler/reference/ReferenceTest.h"

#include <gmock/gmock.h>

#include <cmath>

namespace minic::reference {
namespace {

using testing::ElementsAre;
using testing::NanSensitiveDoubleEq;

class ContractionTest : public ReferenceTest {};

// K beyond a block, N and M beyond panels.
TEST_F(ContractionTest, LinearAtAwkwardShapes) {
  struct Shape {
    int64_t m, n, k;
  };
  for (auto [m, n, k] : {Shape{1, 1, 1}, Shape{3, 7, 17}, Shape{5, 259, 31},
                         Shape{17, 9, 515}}) {
    std::string dims = std::to_string(m) + "x" + std::to_string(k);
    std::string weight = std::to_string(n) + "x" + std::to_string(k);
    std::string result = std::to_string(m) + "x" + std::to_string(n);
    auto x = randomFloats(m * k, 1), w = randomFloats(n * k, 2),
         b = randomFloats(n, 3);
    auto output = evaluateText(
        "func.func @main(%x: tensor<" + dims + "xf32>, %w: tensor<" + weight +
            "xf32>, %b: tensor<" + std::to_string(n) + "xf32>) -> tensor<" +
            result + "xf32> { %0 = graph.linear %x, %w, %b : (tensor<" + dims +
            "xf32>, tensor<" + weight + "xf32>, tensor<" + std::to_string(n) +
            "xf32>) -> tensor<" + result + "xf32> return %0 : tensor<" +
            result + "xf32> }",
        {x, w, b})[0];
    for (int64_t i = 0; i < m; ++i) {
      for (int64_t j = 0; j < n; ++j) {
        double sum = b[j];
        for (int64_t p = 0; p < k; ++p) {
          sum += double(x[i * k + p]) * w[j * k + p];
        }
        ASSERT_NEAR(output.values[i * n + j], sum, 1e-12 * k);
      }
    }
  }
}

TEST_F(ContractionTest, MatmulTransposedAndBroadcast) {
  // [2, 1, M, K] x [3, K, N], all four transpositions.
  constexpr int64_t m = 5, k = 6, n = 7;
  auto a = randomFloats(2 * m * k, 1), b = randomFloats(3 * k * n, 2);
  for (bool transposeLhs : {false, true}) {
    for (bool transposeRhs : {false, true}) {
      std::string lhs =
          transposeLhs ? "tensor<2x1x6x5xf32>" : "tensor<2x1x5x6xf32>";
      std::string rhs =
          transposeRhs ? "tensor<3x7x6xf32>" : "tensor<3x6x7xf32>";
      std::string attributes = transposeLhs && transposeRhs
                                   ? "{transpose_lhs, transpose_rhs}"
                               : transposeLhs ? "{transpose_lhs}"
                               : transposeRhs ? "{transpose_rhs}"
                                              : "";
      auto output = evaluateText(
          "func.func @main(%a: " + lhs + ", %b: " + rhs +
              ") -> tensor<2x3x5x7xf32> { %0 = graph.matmul %a, %b " +
              attributes + " : (" + lhs + ", " + rhs +
              ") -> tensor<2x3x5x7xf32> return %0 : tensor<2x3x5x7xf32> }",
          {a, b})[0];
      for (int64_t e = 0; e < 2 * 3 * m * n; ++e) {
        int64_t j = e % n, i = e / n % m, y = e / n / m % 3, x = e / n / m / 3;
        double sum = 0;
        for (int64_t p = 0; p < k; ++p) {
          sum += double(a[x * m * k + (transposeLhs ? p * m + i : i * k + p)]) *
                 b[y * k * n + (transposeRhs ? j * k + p : p * n + j)];
        }
        ASSERT_NEAR(output.values[e], sum, 1e-13);
      }
    }
  }
}

TEST_F(ContractionTest, TransposeAndReshape) {
  auto x = randomFloats(24, 1);
  auto outputs = evaluateText(R"(
    func.func @main(%x: tensor<2x3x4xf32>)
        -> (tensor<4x2x3xf32>, tensor<3x2x4xf32>, tensor<8x3xf32>) {
      %0 = graph.transpose %x [2, 0, 1]
        : tensor<2x3x4xf32> -> tensor<4x2x3xf32>
      %1 = graph.transpose %x [1, 0, 2]
        : tensor<2x3x4xf32> -> tensor<3x2x4xf32>
      %2 = graph.reshape %x : tensor<2x3x4xf32> to tensor<8x3xf32>
      return %0, %1, %2
        : tensor<4x2x3xf32>, tensor<3x2x4xf32>, tensor<8x3xf32>
    })",
                              {x});
  for (int64_t e = 0; e < 24; ++e) {
    int64_t k = e % 4, j = e / 4 % 3, i = e / 12;
    EXPECT_EQ(outputs[0].values[(k * 2 + i) * 3 + j], x[e]);
    EXPECT_EQ(outputs[1].values[(j * 2 + i) * 4 + k], x[e]);
    EXPECT_EQ(outputs[2].values[e], x[e]);
  }
  EXPECT_THAT(outputs[0].tolerances, testing::Each(0));
}

TEST_F(ContractionTest, FusionAndRelayoutMeanTheirBodies) {
  auto outputs = evaluateText(R"(
    func.func @main(%x: tensor<2x2xf32>) -> tensor<2x2xf32> {
      %w = graph.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
      %p = kernel.relayout %w : tensor<2x2xf32> to tensor<2x2xf32,
        #kernel.layout<order = [1, 0], blocks = [], padded = [2, 2]>>
      %0 = kernel.fusion (%x0 = %x : tensor<2x2xf32>, %w0 = %p : tensor<2x2xf32,
          #kernel.layout<order = [1, 0], blocks = [], padded = [2, 2]>>)
          -> tensor<2x2xf32> {
        %1 = graph.linear %x0, %w0
          : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
        %2 = graph.neg %1 : tensor<2x2xf32>
        kernel.yield %2 : tensor<2x2xf32>
      }
      return %0 : tensor<2x2xf32>
    })",
                              {{1, 0, 0, 1}});
  EXPECT_THAT(outputs[0].values, ElementsAre(-1, -3, -2, -4));
}

TEST_F(ContractionTest, InfinitiesAndNan) {
  const float inf = HUGE_VALF, nan = std::nanf("");
  auto isNan = NanSensitiveDoubleEq(std::nan(""));
  // The second layer sees exact specials among values with errors.
  auto outputs = evaluateText(R"(
    func.func @main(%x: tensor<4x2xf32>)
        -> (tensor<4x2xf32>, tensor<4x1xf32>) {
      %w = graph.constant dense<[[1.5, 1.0], [0.3, -1.0]]> : tensor<2x2xf32>
      %0 = graph.linear %x, %w
        : (tensor<4x2xf32>, tensor<2x2xf32>) -> tensor<4x2xf32>
      %v = graph.constant dense<[[1.0, 1.0]]> : tensor<1x2xf32>
      %1 = graph.linear %0, %v
        : (tensor<4x2xf32>, tensor<1x2xf32>) -> tensor<4x1xf32>
      return %0, %1 : tensor<4x2xf32>, tensor<4x1xf32>
    })",
                              {{nan, 1, inf, 1, 1, inf, inf, inf}});
  EXPECT_THAT(outputs[0].values,
              ElementsAre(isNan, isNan, HUGE_VAL, HUGE_VAL, HUGE_VAL, -HUGE_VAL,
                          HUGE_VAL, isNan));
  EXPECT_THAT(outputs[1].values, ElementsAre(isNan, HUGE_VAL, isNan, isNan));
  EXPECT_THAT(outputs[1].tolerances, testing::Each(0));
}

TEST_F(ContractionTest, OverflowOfHalfIsInfinityOrEither) {
  mlir::Block &body = parse(R"(
    func.func @main(%x: tensor<1x2xf16>) -> (tensor<1x3xf16>, tensor<1x3xf16>) {
      %w = graph.constant
        dense<[[256.0, 0.0], [128.0, 0.0], [255.75, 0.0]]> : tensor<3x2xf16>
      %0 = graph.linear %x, %w
        : (tensor<1x2xf16>, tensor<3x2xf16>) -> tensor<1x3xf16>
      %s = graph.constant dense<0.5> : tensor<f16>
      %1 = graph.mul %0, %s : (tensor<1x3xf16>, tensor<f16>) -> tensor<1x3xf16>
      return %0, %1 : tensor<1x3xf16>, tensor<1x3xf16>
    })");
  uint16_t x[] = {0x5c01, 0}; // 256.25
  Inputs inputs;
  inputs.arguments = {x};
  auto outputs = evaluate(body, inputs);
  ASSERT_TRUE(mlir::succeeded(outputs)) << error;
  // 65600, beyond 65520, is infinite; 65536 may have been rounded up to it.
  EXPECT_EQ((*outputs)[0].values[0], HUGE_VAL);
  EXPECT_EQ((*outputs)[0].tolerances[0], 0);
  EXPECT_EQ((*outputs)[0].tolerances[2], HUGE_VAL);
  EXPECT_EQ((*outputs)[0].values[1], 32800);
  EXPECT_LT((*outputs)[0].tolerances[1], 32);
  // Kept wide inside a kernel it is 32800, stored in between it is infinite.
  EXPECT_THAT((*outputs)[1].tolerances[0], HUGE_VAL);
  EXPECT_LT((*outputs)[1].tolerances[1], 64);
}

} // namespace
} // namespace minic::reference
