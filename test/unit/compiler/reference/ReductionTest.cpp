// SPDX-License-Identifier: Apache-2.0
//
// reduce and softmax: values, special values, and what their bounds reject.

#include "test/unit/compiler/reference/ReferenceTest.h"

#include "dialects/kernel/ExpandOps.h"

#include <gmock/gmock.h>

#include <cmath>

namespace minic::reference {
namespace {

using runtime::ExpectedOutput;
using testing::Each;
using testing::ElementsAre;

constexpr float kInfinity = HUGE_VALF;

class ReductionTest : public ReferenceTest {
protected:
  ExpectedOutput evaluateOne(const std::string &op, const std::string &from,
                             const std::string &arrowTo,
                             const std::vector<float> &x) {
    std::string result = arrowTo.empty() ? from : arrowTo;
    auto outputs = evaluateText("func.func @f(%x: " + from + ") -> " + result +
                                    " {\n%0 = graph." + op + " : " + from +
                                    (arrowTo.empty() ? "" : " -> " + arrowTo) +
                                    "\nreturn %0 : " + result + "\n}",
                                {x});
    EXPECT_EQ(outputs.size(), 1u) << error;
    return outputs.empty() ? ExpectedOutput() : outputs[0];
  }
  ExpectedOutput softmax(const std::vector<float> &x) {
    return evaluateOne("softmax %x axis = 0",
                       "tensor<" + std::to_string(x.size()) + "xf32>", "", x);
  }
};

/// float32 softmax as a kernel computes it; `scores` may be changed first.
std::vector<float> softmaxInFloat(const std::vector<float> &scores) {
  float greatest = *std::max_element(scores.begin(), scores.end());
  std::vector<float> powers;
  float sum = 0;
  for (float x : scores) {
    powers.push_back(std::exp(x - greatest));
    sum += powers.back();
  }
  for (float &power : powers) {
    power /= sum;
  }
  return powers;
}

TEST_F(ReductionTest, EachKindOverEachAxis) {
  std::vector<float> x{1, 2, 3, -4, 5, 6};
  auto of = [&](const std::string &op, const std::string &to) {
    return evaluateOne("reduce " + op, "tensor<2x3xf32>", to, x).values;
  };
  EXPECT_THAT(of("sum, %x [1]", "tensor<2xf32>"), ElementsAre(6, 7));
  EXPECT_THAT(of("sum, %x [0]", "tensor<3xf32>"), ElementsAre(-3, 7, 9));
  EXPECT_THAT(of("mean, %x [0] {keep_dims}", "tensor<1x3xf32>"),
              ElementsAre(-1.5, 3.5, 4.5));
  EXPECT_THAT(of("max, %x [1] {keep_dims}", "tensor<2x1xf32>"),
              ElementsAre(3, 6));
  EXPECT_THAT(of("min, %x [0, 1]", "tensor<f32>"), ElementsAre(-4));
  EXPECT_THAT(of("prod, %x [1]", "tensor<2xf32>"), ElementsAre(6, -120));
}

TEST_F(ReductionTest, SpecialValues) {
  float nan = std::nanf("");
  std::vector<float> x{1, nan, kInfinity, -kInfinity, kInfinity, 0};
  auto of = [&](const std::string &kind) {
    return evaluateOne("reduce " + kind + ", %x [1]", "tensor<3x2xf32>",
                       "tensor<3xf32>", x)
        .values;
  };
  using testing::NanSensitiveDoubleEq;
  auto isNan = NanSensitiveDoubleEq(std::nan(""));
  EXPECT_THAT(of("sum"), ElementsAre(isNan, isNan, HUGE_VAL));
  EXPECT_THAT(of("max"), ElementsAre(isNan, HUGE_VAL, HUGE_VAL));
  EXPECT_THAT(of("min"), ElementsAre(isNan, -HUGE_VAL, 0));
  EXPECT_THAT(of("prod"), ElementsAre(isNan, -HUGE_VAL, isNan));
}

TEST_F(ReductionTest, APartialProductBesideAnInfinityMayBeFlushedToZero) {
  std::vector<float> x{1e-30f, 1e-30f, kInfinity};
  auto product =
      evaluateOne("reduce prod, %x [0]", "tensor<3xf32>", "tensor<f32>", x);
  EXPECT_EQ(countMismatches(product, {kInfinity}), 0);
  EXPECT_EQ(countMismatches(product, {std::nanf("")}), 0);
  x[0] = 1;
  product =
      evaluateOne("reduce prod, %x [0]", "tensor<3xf32>", "tensor<f32>", x);
  EXPECT_EQ(countMismatches(product, {std::nanf("")}), 1);
}

TEST_F(ReductionTest, AFloatSumIsWithinTheBoundAndOneWithoutAnElementIsNot) {
  std::vector<float> x = randomFloats(1024, 7);
  auto sum =
      evaluateOne("reduce sum, %x [0]", "tensor<1024xf32>", "tensor<f32>", x);
  float inOrder = 0;
  for (float each : x) {
    inOrder += each;
  }
  EXPECT_EQ(countMismatches(sum, {inOrder}), 0);
  EXPECT_EQ(countMismatches(sum, {inOrder - x[5]}), 1);
}

TEST_F(ReductionTest, OnlyDemandedRowsAreComputed) {
  std::vector<float> x = randomFloats(3 * 4 * 5, 1);
  EvaluationOptions options;
  options.rows = {{false, {1}}};
  auto some =
      evaluateText(R"(func.func @f(%x: tensor<3x4x5xf32>) -> tensor<3x5xf32> {
    %0 = graph.exp %x : tensor<3x4x5xf32>
    %1 = graph.reduce max, %0 [1] : tensor<3x4x5xf32> -> tensor<3x5xf32>
    return %1 : tensor<3x5xf32>
  })",
                   {x}, options);
  ASSERT_EQ(some.size(), 1u) << error;
  ASSERT_EQ(some[0].values.size(), 5u);
  for (int column = 0; column < 5; ++column) {
    double greatest = 0;
    for (int i = 0; i < 4; ++i) {
      greatest = std::max(greatest, std::exp(double(x[20 + i * 5 + column])));
    }
    EXPECT_EQ(some[0].values[column], greatest);
  }
}

TEST_F(ReductionTest, SoftmaxOfAFloatKernelIsWithinItsBound) {
  for (float range : {0.0f, 1.0f, 30.0f, 200.0f}) {
    std::vector<float> x = randomFloats(1024, 3, -range, range);
    EXPECT_EQ(countMismatches(softmax(x), softmaxInFloat(x)), 0) << range;
  }
}

TEST_F(ReductionTest, SoftmaxRejectsADroppedKey) {
  std::vector<float> x = randomFloats(1024, 3);
  std::vector<float> dropped = x;
  dropped.back() = -kInfinity;
  EXPECT_EQ(countMismatches(softmax(x), softmaxInFloat(dropped)), 1024);
}

TEST_F(ReductionTest, SoftmaxRejectsScoresRoundedToBf16) {
  std::vector<float> x = randomFloats(1024, 3, -8, 8), rounded;
  for (float each : x) {
    rounded.push_back(roundToBf16(each));
  }
  EXPECT_GT(countMismatches(softmax(x), softmaxInFloat(rounded)), 900);
}

TEST_F(ReductionTest, SoftmaxOfSpecialValues) {
  auto isNan = testing::NanSensitiveDoubleEq(std::nan(""));
  EXPECT_THAT(softmax({1, std::nanf(""), 2}).values, Each(isNan));
  EXPECT_THAT(softmax({-kInfinity, -kInfinity}).values, Each(isNan));
  EXPECT_THAT(softmax({0, kInfinity}).values, Each(isNan));
  EXPECT_THAT(softmax({0, -kInfinity, 0}).values, ElementsAre(0.5, 0, 0.5));
}

TEST_F(ReductionTest, SoftmaxAlongAnInnerAxisIsThatOfItsTranspose) {
  std::vector<float> x = randomFloats(2 * 3 * 4, 5), transposed;
  for (int i = 0; i < 2 * 4; ++i) {
    for (int j = 0; j < 3; ++j) {
      transposed.push_back(x[i / 4 * 12 + j * 4 + i % 4]);
    }
  }
  auto inner = evaluateOne("softmax %x axis = 1", "tensor<2x3x4xf32>", "", x);
  auto last =
      evaluateOne("softmax %x axis = 2", "tensor<2x4x3xf32>", "", transposed);
  for (int i = 0; i < 2 * 4; ++i) {
    for (int j = 0; j < 3; ++j) {
      int at = i / 4 * 12 + j * 4 + i % 4;
      EXPECT_EQ(inner.values[at], last.values[i * 3 + j]);
      EXPECT_EQ(inner.tolerances[at], last.tolerances[i * 3 + j]);
    }
  }
}

/// The stages count the error of the greatest element, which cancels. The op
/// counts one more exponential, for kernels that scale their sum as they go.
TEST_F(ReductionTest, StagesOfSoftmaxMeanWhatItDoes) {
  for (std::string scores : {"", "%x = graph.exp %x0 : tensor<3x4xf32>\n"}) {
    std::string type = "tensor<3x4xf32>";
    std::string x = scores.empty() ? "%x0" : "%x";
    std::string text =
        "func.func @f(%x0: " + type + ") -> " + type + " {\n" + scores +
        "%1 = kernel.fusion (%y = " + x + " : " + type + ") -> " + type +
        " {\n%2 = graph.softmax %y axis = 0 : " + type +
        "\nkernel.yield %2 : " + type + "\n}\nreturn %1 : " + type + "\n}";
    std::vector<float> values = randomFloats(12, 9, 2, 5);
    auto named = evaluateText(text, {values});
    mlir::Block &block = parse(text);
    auto fusion = *block.getOps<kernel::FusionOp>().begin();
    kernel::expandOps(fusion, {0});
    EXPECT_EQ(fusion.getBodyOps().size(), 5u);
    std::string expanded;
    llvm::raw_string_ostream(expanded) << *block.getParentOp();
    auto stages = evaluateText(expanded, {values});
    ASSERT_EQ(named.size(), 1u) << error;
    ASSERT_EQ(stages.size(), 1u) << error;
    for (size_t i = 0; i < 12; ++i) {
      // Both are float64 arithmetic on the same elements.
      EXPECT_NEAR(named[0].values[i], stages[0].values[i], 1e-14);
      double ratio = named[0].tolerances[i] / stages[0].tolerances[i];
      EXPECT_LT(ratio, scores.empty() ? 1.6 : 0.8);
    }
  }
}

} // namespace
} // namespace minic::reference
