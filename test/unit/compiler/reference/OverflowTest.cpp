// SPDX-License-Identifier: Apache-2.0
//
// Bounds at the end of the range: masks of the lowest number, which models add
// to scores, and what a softmax makes of them.

#include "test/unit/compiler/reference/ReferenceTest.h"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>

namespace minic::reference {
namespace {

constexpr float kLowest = std::numeric_limits<float>::lowest();
constexpr float kInfinity = HUGE_VALF;

class OverflowTest : public ReferenceTest {
protected:
  /// The only result of `text` on bf16 or f16 arguments.
  runtime::ExpectedOutput
  evaluateHalves(const std::string &text,
                 const std::vector<std::vector<uint16_t>> &arguments) {
    Inputs inputs;
    for (const std::vector<uint16_t> &bits : arguments) {
      inputs.arguments.push_back(bits.data());
    }
    auto outputs = evaluate(parse(text), inputs);
    EXPECT_TRUE(mlir::succeeded(outputs)) << error;
    return mlir::succeeded(outputs) ? (*outputs)[0] : runtime::ExpectedOutput();
  }
};

/// softmax(tanh(s) + (1 - kept) * lowest) and the masked scores themselves.
const char *const kMasked = R"(
  func.func @main(%s: tensor<1x4xf32>, %kept: tensor<1x4xf32>)
      -> (tensor<1x4xf32>, tensor<1x4xf32>) {
    %one = graph.constant dense<1.0> : tensor<f32>
    %lowest = graph.constant dense<0xFF7FFFFF> : tensor<f32>
    %left = graph.sub %one, %kept
      : (tensor<f32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    %mask = graph.mul %left, %lowest
      : (tensor<1x4xf32>, tensor<f32>) -> tensor<1x4xf32>
    %scores = graph.tanh %s : tensor<1x4xf32>
    %masked = graph.add %scores, %mask : tensor<1x4xf32>
    %p = graph.softmax %masked axis = 1 : tensor<1x4xf32>
    return %p, %masked : tensor<1x4xf32>, tensor<1x4xf32>
  })";

TEST_F(OverflowTest, AMaskOfTheLowestNumberHasABound) {
  auto outputs = evaluateText(kMasked, {{-2, 3, 1, 0.5}, {0, 1, 1, 0}});
  const runtime::ExpectedOutput &p = outputs[0], &masked = outputs[1];
  // In float32 the mask swallows the score; the sum is finite.
  float a = std::tanh(3.0f), b = std::tanh(1.0f);
  EXPECT_EQ(countMismatches(masked, {kLowest, a, b, kLowest}), 0);
  EXPECT_LT(masked.tolerances[0], 1e-7 * std::abs(double(kLowest)));
  EXPECT_EQ(countMismatches(masked, {-kInfinity, a, b, kLowest}), 1);
  EXPECT_EQ(countMismatches(masked, {kLowest * (1 - 1e-6f), a, b, kLowest}), 1);

  float share = 1 / (1 + std::exp(b - a));
  EXPECT_EQ(countMismatches(p, {0, share, 1 - share, 0}), 0);
  EXPECT_LT(p.tolerances[0], 1e-30);
  EXPECT_LT(p.tolerances[1], 1e-5);
  // One that has lost its mask, one that masks too much, one with a NaN.
  EXPECT_EQ(countMismatches(p, {1e-6f, share, 1 - share, 0}), 1);
  EXPECT_EQ(countMismatches(p, {0, 1, 0, 0}), 2);
  EXPECT_EQ(countMismatches(p, {std::nanf(""), share, 1 - share, 0}), 1);
}

// Where all are masked, scores are far below an ulp of the mask: each sum is
// the lowest number and each weight is the same.
TEST_F(OverflowTest, ARowThatIsWhollyMaskedIsUniform) {
  auto p = evaluateText(kMasked, {{-2, 3, 1, 0.5}, {0, 0, 0, 0}})[0];
  EXPECT_EQ(countMismatches(p, {0.25, 0.25, 0.25, 0.25}), 0);
  EXPECT_EQ(countMismatches(p, {0, 1, 0, 0}), 4);
  float nan = std::nanf("");
  EXPECT_EQ(countMismatches(p, {nan, nan, nan, nan}), 4);
}

TEST_F(OverflowTest, ASumBeyondTheRangeIsInfinite) {
  auto sum = [&](float x, float y) { return binary("graph.add", {x}, {y}); };
  // Half an ulp beyond the largest number is the limit.
  EXPECT_EQ(countMismatches(sum(kLowest, -0x1p102f), {kLowest}), 0);
  EXPECT_EQ(countMismatches(sum(kLowest, -0x1p102f), {-kInfinity}), 1);
  EXPECT_EQ(countMismatches(sum(kLowest, -0x1p103f), {-kInfinity}), 0);
  EXPECT_EQ(countMismatches(sum(kLowest, -0x1p103f), {kLowest}), 1);
  EXPECT_EQ(countMismatches(sum(-kLowest, 0x1p102f), {-kLowest}), 0);
  EXPECT_EQ(countMismatches(sum(-kLowest, 0x1p102f), {kInfinity}), 1);
  EXPECT_EQ(countMismatches(sum(kLowest, kLowest), {-kInfinity}), 0);
}

const char *const kMaskedBf16 = R"(
  func.func @main(%s: tensor<1x2xbf16>, %m: tensor<1x2xbf16>)
      -> tensor<1x2xbf16> {
    %0 = graph.add %s, %m : tensor<1x2xbf16>
    %p = graph.softmax %0 axis = 1 : tensor<1x2xbf16>
    return %p : tensor<1x2xbf16>
  })";

TEST_F(OverflowTest, SixteenBits) {
  // bf16: 50 and 1, of which the first is masked. It stays finite.
  auto bf16 = evaluateHalves(kMaskedBf16, {{0x4248, 0x3f80}, {0xff7f, 0}});
  EXPECT_EQ(countMismatches(bf16, {0, 1}), 0);
  EXPECT_EQ(countMismatches(bf16, {0.01f, 1}), 1);
  EXPECT_LT(bf16.tolerances[0], 1e-30);

  // f16: -50 - 65504 overflows where it is stored, and not inside of a kernel.
  std::string text = kMaskedBf16;
  for (size_t at; (at = text.find("bf16")) != std::string::npos;) {
    text.erase(at, 1);
  }
  for (uint16_t score : {0xd240, 0x4c00, 0xc000}) { // -50, 16, -2
    auto f16 = evaluateHalves(text, {{score, 0x3c00}, {0xfbff, 0}});
    EXPECT_EQ(countMismatches(f16, {0, 1}), 0) << score;
    EXPECT_EQ(countMismatches(f16, {0.01f, 1}), 1) << score;
    EXPECT_LT(f16.tolerances[0], 1e-30) << score;
  }
  // Both masked: nothing is certain.
  auto both = evaluateHalves(text, {{0xd240, 0xd240}, {0xfbff, 0xfbff}});
  EXPECT_EQ(both.tolerances[0], HUGE_VAL);
}

// The operand of a linear may be infinite, or not: with a weight of 0 that is
// NaN, or not.
// 1 - mask is a 1, not one and a rounding.
TEST_F(OverflowTest, SmallIntegersAreExact) {
  auto sum = binary("graph.add", {1, 200, 0.1f, 256}, {-1, 56, 0.2f, 1});
  EXPECT_EQ(sum.tolerances[0], 0);
  EXPECT_EQ(sum.tolerances[1], 0);
  EXPECT_GT(sum.tolerances[2], 0);
  EXPECT_GT(sum.tolerances[3], 0);
}

TEST_F(OverflowTest, WhatMayBeInfiniteIsNotCertainInASum) {
  auto output = evaluateHalves(R"(
    func.func @main(%x: tensor<1x1xf16>, %y: tensor<1x1xf16>)
        -> tensor<1x1xf16> {
      %0 = graph.add %x, %y : tensor<1x1xf16>
      %w = graph.constant dense<0.0> : tensor<1x1xf16>
      %1 = graph.linear %0, %w
        : (tensor<1x1xf16>, tensor<1x1xf16>) -> tensor<1x1xf16>
      return %1 : tensor<1x1xf16>
    })",
                               {{0xd240}, {0xfbff}});
  EXPECT_EQ(output.tolerances[0], HUGE_VAL);
}

} // namespace
} // namespace minic::reference
