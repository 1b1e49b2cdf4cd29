// SPDX-License-Identifier: Apache-2.0
//
// Every pointwise op against an independent formula, at ordinary and at special
// values; kinks; integers; broadcasting.

#include "test/unit/compiler/reference/ReferenceTest.h"

#include <gmock/gmock.h>

#include <cmath>
#include <functional>

namespace minic::reference {
namespace {

using testing::ElementsAre;
using testing::NanSensitiveDoubleEq;

constexpr float kInf = HUGE_VALF;
const float kNan = std::nanf("");
const float kLowest = std::numeric_limits<float>::lowest();

struct UnaryCase {
  const char *op;
  std::function<double(double)> formula;
  float low, high;
};

class UnaryTest : public ReferenceTest,
                  public testing::WithParamInterface<UnaryCase> {};

// Values are the formula's; a float32 evaluation of it is accepted; one that is
// wrong by 1e-4 of the result (and by 1e-5) is not.
TEST_P(UnaryTest, FollowsItsFormula) {
  auto [op, formula, low, high] = GetParam();
  std::vector<float> x = randomFloats(1000, 1, low, high);
  runtime::ExpectedOutput output = unary(op, x);
  std::vector<float> right, wrong;
  for (size_t i = 0; i < x.size(); ++i) {
    double y = formula(x[i]);
    EXPECT_NEAR(output.values[i], y, 1e-12 * (1 + std::abs(y))) << x[i];
    right.push_back(float(y));
    wrong.push_back(float(y + 1e-4 * std::abs(y) + 1e-5));
  }
  EXPECT_EQ(countMismatches(output, right), 0);
  EXPECT_EQ(countMismatches(output, wrong), int64_t(x.size()));
}

double normalCdf(double x) { return (1 + std::erf(x / M_SQRT2)) / 2; }

INSTANTIATE_TEST_SUITE_P(
    Ops, UnaryTest,
    testing::Values(
        UnaryCase{"graph.neg", [](double x) { return -x; }, -9, 9},
        UnaryCase{"graph.abs", [](double x) { return std::fabs(x); }, -9, 9},
        UnaryCase{"graph.exp", [](double x) { return std::pow(M_E, x); }, -9,
                  9},
        UnaryCase{"graph.log",
                  [](double x) { return std::log2(x) * std::log(2.0); }, 0.01,
                  50},
        UnaryCase{"graph.sqrt", [](double x) { return std::pow(x, 0.5); }, 0,
                  50},
        UnaryCase{"graph.rsqrt", [](double x) { return std::pow(x, -0.5); },
                  0.01, 50},
        UnaryCase{"graph.rsqrt {epsilon = 0.5 : f64}",
                  [](double x) { return std::pow(x + 0.5, -0.5); }, 0, 50},
        UnaryCase{"graph.tanh",
                  [](double x) {
                    return (std::exp(2 * x) - 1) / (std::exp(2 * x) + 1);
                  },
                  -9, 9},
        UnaryCase{"graph.erf", [](double x) { return 1 - std::erfc(x); }, -4,
                  4},
        UnaryCase{"graph.sin", [](double x) { return std::cos(x - M_PI / 2); },
                  -50, 50},
        UnaryCase{"graph.cos", [](double x) { return std::sin(x + M_PI / 2); },
                  -50, 50},
        UnaryCase{"graph.softplus",
                  [](double x) { return std::log(1 + std::exp(x)); }, -9, 9},
        UnaryCase{
            "graph.mish",
            [](double x) { return x * std::tanh(std::log(1 + std::exp(x))); },
            -9, 9},
        UnaryCase{"graph.elu {alpha = 0.5 : f64}",
                  [](double x) { return x > 0 ? x : (std::exp(x) - 1) / 2; },
                  -9, 9},
        UnaryCase{
            "graph.hard_sigmoid",
            [](double x) { return std::min(std::max(x + 3, 0.0), 6.0) / 6; },
            -5, 5},
        UnaryCase{
            "graph.hard_sigmoid {alpha = 0.2 : f64, beta = 0.25 : f64}",
            [](double x) { return std::fmin(std::fmax(0.2 * x + 0.25, 0), 1); },
            -5, 5},
        UnaryCase{"graph.floor", [](double x) { return -std::ceil(-x); }, -9,
                  9},
        UnaryCase{"graph.ceil", [](double x) { return -std::floor(-x); }, -9,
                  9},
        UnaryCase{"graph.round", [](double x) { return std::rint(x); }, -9, 9},
        UnaryCase{"graph.sign", [](double x) { return std::copysign(1, x); },
                  -9, 9},
        UnaryCase{"graph.sigmoid",
                  [](double x) { return (1 + std::tanh(x / 2)) / 2; }, -9, 9},
        UnaryCase{"graph.relu", [](double x) { return x > 0 ? x : 0; }, -9, 9},
        UnaryCase{"graph.silu",
                  [](double x) { return x * (1 + std::tanh(x / 2)) / 2; }, -9,
                  9},
        UnaryCase{"graph.hard_swish",
                  [](double x) {
                    return x <= -3 ? 0 : x >= 3 ? x : x * (x + 3) / 6;
                  },
                  -5, 5},
        UnaryCase{"graph.leaky_relu {alpha = 0.25 : f64}",
                  [](double x) { return x > 0 ? x : x / 4; }, -9, 9},
        UnaryCase{"graph.gelu", [](double x) { return x * normalCdf(x); }, -5,
                  5},
        UnaryCase{"graph.gelu {approximate = #graph.approximation<tanh>}",
                  [](double x) {
                    return 0.5 * x *
                           (1 + std::tanh(std::sqrt(2 / M_PI) *
                                          (x + 0.044715 * std::pow(x, 3))));
                  },
                  -5, 5},
        UnaryCase{"graph.clamp {lower = -1.5 : f64, upper = 2.0 : f64}",
                  [](double x) { return x < -1.5 ? -1.5
                                        : x > 2  ? 2
                                                 : x; }, -5,
                  5}));

class PointwiseTest : public ReferenceTest {};

TEST_F(PointwiseTest, KnownValues) {
  EXPECT_NEAR(unary("graph.gelu", {1}).values[0], 0.8413447460685429, 1e-15);
  EXPECT_NEAR(
      unary("graph.gelu {approximate = #graph.approximation<tanh>}", {1})
          .values[0],
      0.8411919906082768, 1e-15);
  EXPECT_NEAR(unary("graph.erf", {0.5}).values[0], 0.5204998778130465, 1e-15);
}

TEST_F(PointwiseTest, SpecialValues) {
  auto isNan = NanSensitiveDoubleEq(std::nan(""));
  for (const char *op :
       {"graph.relu", "graph.tanh", "graph.gelu", "graph.silu", "graph.sqrt",
        "graph.leaky_relu", "graph.hard_swish", "graph.sin", "graph.cos",
        "graph.floor", "graph.ceil", "graph.round", "graph.sign",
        "graph.softplus", "graph.mish", "graph.elu", "graph.hard_sigmoid",
        "graph.clamp {lower = 0.0 : f64, upper = 6.0 : f64}"}) {
    runtime::ExpectedOutput output = unary(op, {kNan});
    EXPECT_THAT(output.values, ElementsAre(isNan)) << op;
    EXPECT_THAT(output.tolerances, ElementsAre(0)) << op;
  }
  EXPECT_THAT(unary("graph.exp", {kInf, -kInf, 100, -100}).values,
              ElementsAre(HUGE_VAL, 0, HUGE_VAL, testing::Lt(1e-40)));
  EXPECT_THAT(unary("graph.log", {0, -1, kInf}).values,
              ElementsAre(-HUGE_VAL, isNan, HUGE_VAL));
  EXPECT_THAT(unary("graph.sigmoid", {kInf, -kInf}).values, ElementsAre(1, 0));
  EXPECT_THAT(binary("graph.max", {1, kNan, -kInf}, {kNan, 1, 3}).values,
              ElementsAre(isNan, isNan, 3));
  EXPECT_THAT(binary("graph.min", {1, kNan, -kInf}, {kNan, 1, 3}).values,
              ElementsAre(isNan, isNan, -HUGE_VAL));
  EXPECT_THAT(binary("graph.sub", {kInf, 1}, {kInf, kInf}).values,
              ElementsAre(isNan, -HUGE_VAL));
  // The sign of a zero divisor is nobody's duty.
  EXPECT_THAT(binary("graph.div", {1, 0}, {0, 0}).tolerances,
              ElementsAre(HUGE_VAL, 0));
  // Float32 overflow is infinity; near it either is right.
  EXPECT_THAT(binary("graph.mul", {1e30f, 3.4e38f}, {1e30f, 1}).values,
              ElementsAre(HUGE_VAL, double(3.4e38f)));
}

TEST_F(PointwiseTest, SpecialValuesOfOpsThatRoundOrRepeat) {
  auto isNan = NanSensitiveDoubleEq(std::nan(""));
  EXPECT_THAT(unary("graph.sin", {kInf, -kInf, 0}).values,
              ElementsAre(isNan, isNan, 0));
  EXPECT_NEAR(unary("graph.sin", {1e30f}).values[0], std::sin(double(1e30f)),
              1e-15);
  EXPECT_THAT(unary("graph.round", {0.5, 1.5, -2.5, 3.4999, kInf}).values,
              ElementsAre(0, 2, -2, 3, HUGE_VAL));
  EXPECT_THAT(unary("graph.floor", {-0.5, 2, -kInf}).values,
              ElementsAre(-1, 2, -HUGE_VAL));
  EXPECT_THAT(unary("graph.sign", {-3, 0, 1e-40f, -kInf}).values,
              ElementsAre(-1, 0, 1, -1));
  EXPECT_THAT(unary("graph.softplus", {kInf, -kInf, 100}).values,
              ElementsAre(HUGE_VAL, 0, 100));
  EXPECT_THAT(unary("graph.elu", {kInf, -kInf, 0}).values,
              ElementsAre(HUGE_VAL, -1, 0));
  EXPECT_THAT(unary("graph.hard_sigmoid", {kInf, -kInf}).tolerances,
              ElementsAre(0, 0));
}

TEST_F(PointwiseTest, ModHasTheSignOfTheDivisor) {
  auto output = binary("graph.mod", {5.5, -5.5, 5.5, -5.5, 0, 1, -1, 0},
                       {2, 2, -2, -2, 2, kInf, kInf, -kInf});
  EXPECT_THAT(output.values, ElementsAre(1.5, 0.5, -0.5, -1.5, 0, 1, kInf, 0));
  EXPECT_EQ(countMismatches(output, {1.5, 0.5, -0.5, -1.5, 0, 1, kInf, 0}), 0);
  EXPECT_EQ(countMismatches(output, {1.5, -1.5, 1.5, -1.5, 0, kNan, -1, 0}), 4);
  // Where the quotient may round to an integer, so may the rest go to either
  // end.
  float below = std::nextafterf(0.3f, 0);
  output = binary("graph.mod", {below}, {0.1f});
  EXPECT_EQ(countMismatches(output, {below - 2 * 0.1f}), 0);
  EXPECT_EQ(countMismatches(output, {below - 3 * 0.1f}), 0);
  EXPECT_EQ(countMismatches(output, {0.05f}), 0);
}

TEST_F(PointwiseTest, ModOfUnknownOperandsMayBeAnything) {
  // The divisor of 1 is 0 or a rounding error.
  auto output = evaluateText(R"(
    func.func @main(%x: tensor<1xf32>, %one: tensor<1xf32>) -> tensor<1xf32> {
      %0 = graph.mul %x, %x : tensor<1xf32>
      %1 = graph.sub %0, %0 : tensor<1xf32>
      %2 = graph.div %one, %1 : tensor<1xf32>
      %3 = graph.mod %2, %2 : tensor<1xf32>
      return %3 : tensor<1xf32>
    })",
                             {{0.1f}, {1}})[0];
  EXPECT_EQ(countMismatches(output, {0}), 0);
  EXPECT_EQ(countMismatches(output, {kNan}), 0);
}

TEST_F(PointwiseTest, IsNan) {
  auto output = evaluateText(R"(
    func.func @main(%x: tensor<4xf32>) -> tensor<4xi1> {
      %0 = graph.is_nan %x : tensor<4xf32> -> tensor<4xi1>
      return %0 : tensor<4xi1>
    })",
                             {{kNan, kInf, 0, 1}})[0];
  EXPECT_THAT(output.values, ElementsAre(1, 0, 0, 0));
  EXPECT_THAT(output.tolerances, ElementsAre(0, 0, 0, 0));
}

TEST_F(PointwiseTest, Binary) {
  std::vector<float> x = {1.5, -2, 3}, y = {4, 0.5, -3};
  EXPECT_THAT(binary("graph.add", x, y).values, ElementsAre(5.5, -1.5, 0));
  EXPECT_THAT(binary("graph.sub", x, y).values, ElementsAre(-2.5, -2.5, 6));
  EXPECT_THAT(binary("graph.mul", x, y).values, ElementsAre(6, -1, -9));
  EXPECT_THAT(binary("graph.div", x, y).values, ElementsAre(0.375, -4, -1));
  EXPECT_THAT(binary("graph.max", x, y).values, ElementsAre(4, 0.5, 3));
  EXPECT_THAT(binary("graph.min", x, y).values, ElementsAre(1.5, -2, -3));
  EXPECT_THAT(binary("graph.pow", {2, -2, 4, 0}, {10, 3, -0.5, 0}).values,
              ElementsAre(1024, -8, 0.5, 1));
}

TEST_F(PointwiseTest, PowMeetsItsFloat32Decomposition) {
  std::vector<float> x = randomFloats(2000, 3, 0.01, 20);
  std::vector<float> y = randomFloats(2000, 4, -8, 8);
  std::vector<float> got;
  for (size_t i = 0; i < x.size(); ++i) {
    got.push_back(std::exp(y[i] * std::log(x[i])));
  }
  EXPECT_EQ(countMismatches(binary("graph.pow", x, y), got), 0);
}

// Where an intermediate with an error meets a compare, either branch is right;
// away from it only one is.
TEST_F(PointwiseTest, EitherBranchInsideTheMargin) {
  auto output = evaluateText(R"(
    func.func @main(%x: tensor<3xf32>, %bound: tensor<f32>) -> tensor<3xf32> {
      %three = graph.constant dense<3.0> : tensor<f32>
      %0 = graph.div %x, %three : (tensor<3xf32>, tensor<f32>) -> tensor<3xf32>
      %1 = graph.compare lt, %0, %bound
        : (tensor<3xf32>, tensor<f32>) -> tensor<3xi1>
      %minus = graph.constant dense<-1.0> : tensor<f32>
      %plus = graph.constant dense<1.0> : tensor<f32>
      %2 = graph.select %1, %minus, %plus
        : (tensor<3xi1>, tensor<f32>, tensor<f32>) -> tensor<3xf32>
      return %2 : tensor<3xf32>
    })",
                             {{0.9f, 1.0f, 1.1f}, {1.0f / 3}})[0];
  EXPECT_EQ(countMismatches(output, {-1, -1, 1}), 0);
  EXPECT_EQ(countMismatches(output, {-1, 1, 1}), 0);
  EXPECT_EQ(countMismatches(output, {1, 1, -1}), 2);
}

// A mask's lowest number takes any score up, and the rest of the row stays
// bounded.
TEST_F(PointwiseTest, TheLowestNumberTakesWhatIsAddedUp) {
  auto output = evaluateText(R"(
    func.func @main(%x: tensor<3xf32>, %mask: tensor<3xf32>) -> tensor<3xf32> {
      %three = graph.constant dense<3.0> : tensor<f32>
      %0 = graph.div %x, %three : (tensor<3xf32>, tensor<f32>) -> tensor<3xf32>
      %1 = graph.add %0, %mask : tensor<3xf32>
      %2 = graph.softmax %1 axis = 0 : tensor<3xf32>
      return %2 : tensor<3xf32>
    })",
                             {{1, 2, 3}, {0, kLowest, 0}})[0];
  float first = 1 / (1 + std::exp(2.0f / 3));
  EXPECT_EQ(countMismatches(output, {first, 0, 1 - first}), 0);
  EXPECT_EQ(countMismatches(output, {first, 0.01f, 0.99f - first}), 2);
}

// Exporters ask for NaN this way.
TEST_F(PointwiseTest, ComparesAValueWithItselfExactly) {
  auto outputs = evaluateText(R"(
    func.func @main(%x: tensor<3xf32>)
        -> (tensor<3xf32>, tensor<3xi1>, tensor<3xi1>) {
      %three = graph.constant dense<3.0> : tensor<f32>
      %zero = graph.constant dense<0.0> : tensor<f32>
      %0 = graph.div %x, %three : (tensor<3xf32>, tensor<f32>) -> tensor<3xf32>
      %1 = graph.compare ne, %0, %0
        : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
      %2 = graph.select %1, %zero, %0
        : (tensor<3xi1>, tensor<f32>, tensor<3xf32>) -> tensor<3xf32>
      %3 = graph.compare lt, %0, %0
        : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
      return %2, %1, %3 : tensor<3xf32>, tensor<3xi1>, tensor<3xi1>
    })",
                              {{1, -7, kNan}});
  EXPECT_EQ(countMismatches(outputs[0], {1.0f / 3, -7.0f / 3, 0}), 0);
  EXPECT_EQ(countMismatches(outputs[0], {0, 0, 0}), 2);
  EXPECT_THAT(outputs[1].values, ElementsAre(0, 0, 1));
  EXPECT_THAT(outputs[1].tolerances, ElementsAre(0, 0, 0));
  EXPECT_THAT(outputs[2].values, ElementsAre(0, 0, 0));
}

TEST_F(PointwiseTest, WhatMayBeNanMayDifferFromItself) {
  auto outputs = evaluateText(R"(
    func.func @main(%x: tensor<1xf32>, %y: tensor<1xf32>)
        -> (tensor<1xi1>, tensor<1xi1>) {
      %third = graph.div %x, %y : tensor<1xf32>
      %0 = graph.mul %third, %y : tensor<1xf32>
      %1 = graph.sub %0, %0 : tensor<1xf32>
      %2 = graph.compare eq, %1, %1
        : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xi1>
      %3 = graph.compare lt, %1, %1
        : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xi1>
      return %2, %3 : tensor<1xi1>, tensor<1xi1>
    })",
                              {{std::numeric_limits<float>::max()}, {3}});
  EXPECT_THAT(outputs[0].tolerances, ElementsAre(1));
  EXPECT_THAT(outputs[1].tolerances, ElementsAre(0));
}

TEST_F(PointwiseTest, ComparesExactValuesExactly) {
  auto output = evaluateText(R"(
    func.func @main(%x: tensor<4xf32>) -> (tensor<4xi1>, tensor<4xi1>) {
      %one = graph.constant dense<1.0> : tensor<f32>
      %0 = graph.compare ge, %x, %one
        : (tensor<4xf32>, tensor<f32>) -> tensor<4xi1>
      %1 = graph.compare ne, %x, %one
        : (tensor<4xf32>, tensor<f32>) -> tensor<4xi1>
      return %0, %1 : tensor<4xi1>, tensor<4xi1>
    })",
                             {{1, std::nextafterf(1, 0), 2, kNan}});
  EXPECT_THAT(output[0].values, ElementsAre(1, 0, 1, 0));
  EXPECT_THAT(output[0].tolerances, ElementsAre(0, 0, 0, 0));
  EXPECT_THAT(output[1].values, ElementsAre(0, 1, 1, 1));
}

TEST_F(PointwiseTest, Casts) {
  auto output = evaluateText(R"(
    func.func @main(%x: tensor<5xf32>)
        -> (tensor<5xi32>, tensor<5xbf16>, tensor<5xf16>, tensor<5xi1>) {
      %0 = graph.cast %x : tensor<5xf32> to tensor<5xi32>
      %1 = graph.cast %x : tensor<5xf32> to tensor<5xbf16>
      %2 = graph.cast %x : tensor<5xf32> to tensor<5xf16>
      %3 = graph.cast %x : tensor<5xf32> to tensor<5xi1>
      return %0, %1, %2, %3
        : tensor<5xi32>, tensor<5xbf16>, tensor<5xf16>, tensor<5xi1>
    })",
                             {{-1.75, 2.99, 0, 1.00390625, 70000}});
  EXPECT_THAT(output[0].values, ElementsAre(-1, 2, 0, 1, 70000));
  // 1.00390625 is half way between two bf16 numbers: to even.
  EXPECT_THAT(output[1].values, ElementsAre(-1.75, 2.984375, 0, 1, 70144));
  EXPECT_THAT(output[2].values,
              ElementsAre(-1.75, 2.990234375, 0, 1.00390625, HUGE_VAL));
  EXPECT_THAT(output[3].values, ElementsAre(1, 1, 0, 1, 1));
}

TEST_F(PointwiseTest, IntegersWrap) {
  mlir::Block &body = parse(R"(
    func.func @main(%x: tensor<3xi8>, %y: tensor<3xi8>)
        -> (tensor<3xi8>, tensor<3xi8>, tensor<3xi8>) {
      %0 = graph.add %x, %y : (tensor<3xi8>, tensor<3xi8>) -> tensor<3xi8>
      %1 = graph.mul %x, %y : (tensor<3xi8>, tensor<3xi8>) -> tensor<3xi8>
      %2 = graph.neg %x : tensor<3xi8>
      return %0, %1, %2 : tensor<3xi8>, tensor<3xi8>, tensor<3xi8>
    })");
  int8_t x[] = {127, -128, 5}, y[] = {1, -1, 7};
  Inputs inputs;
  inputs.arguments = {x, y};
  auto outputs = evaluate(body, inputs);
  ASSERT_TRUE(mlir::succeeded(outputs));
  EXPECT_THAT((*outputs)[0].values, ElementsAre(-128, 127, 12));
  EXPECT_THAT((*outputs)[1].values, ElementsAre(127, -128, 35));
  EXPECT_THAT((*outputs)[2].values, ElementsAre(-127, -128, -5));
}

TEST_F(PointwiseTest, IntegersDivideWithoutTraps) {
  mlir::Block &body = parse(R"(
    func.func @main(%x: tensor<7xi32>, %y: tensor<7xi32>)
        -> (tensor<7xi32>, tensor<7xi32>, tensor<7xi32>) {
      %0 = graph.div %x, %y : tensor<7xi32>
      %1 = graph.mod %x, %y : tensor<7xi32>
      %2 = graph.sign %x : tensor<7xi32>
      return %0, %1, %2 : tensor<7xi32>, tensor<7xi32>, tensor<7xi32>
    })");
  int32_t x[] = {7, -7, 7, -7, 5, INT32_MIN, 6}, y[] = {2, 2, -2, -2, 0, -1, 3};
  Inputs inputs;
  inputs.arguments = {x, y};
  auto outputs = evaluate(body, inputs);
  ASSERT_TRUE(mlir::succeeded(outputs));
  EXPECT_THAT((*outputs)[0].values, ElementsAre(3, -3, -3, 3, 0, INT32_MIN, 2));
  EXPECT_THAT((*outputs)[1].values, ElementsAre(1, 1, -1, -1, 0, 0, 0));
  EXPECT_THAT((*outputs)[2].values, ElementsAre(1, -1, 1, -1, 1, -1, 1));
}

TEST_F(PointwiseTest, BitsOfIntegersAndPredicates) {
  mlir::Block &body = parse(R"(
    func.func @main(%x: tensor<3xi8>, %y: tensor<3xi8>, %p: tensor<3xi1>)
        -> (tensor<3xi8>, tensor<3xi8>, tensor<3xi8>, tensor<3xi8>,
            tensor<3xi1>) {
      %0 = graph.and %x, %y : tensor<3xi8>
      %1 = graph.or %x, %y : tensor<3xi8>
      %2 = graph.xor %x, %y : tensor<3xi8>
      %3 = graph.not %x : tensor<3xi8>
      %4 = graph.not %p : tensor<3xi1>
      return %0, %1, %2, %3, %4 : tensor<3xi8>, tensor<3xi8>, tensor<3xi8>,
        tensor<3xi8>, tensor<3xi1>
    })");
  int8_t x[] = {12, -1, 0}, y[] = {10, 7, 0}, p[] = {0, 1, 1};
  Inputs inputs;
  inputs.arguments = {x, y, p};
  auto outputs = evaluate(body, inputs);
  ASSERT_TRUE(mlir::succeeded(outputs));
  EXPECT_THAT((*outputs)[0].values, ElementsAre(8, 7, 0));
  EXPECT_THAT((*outputs)[1].values, ElementsAre(14, -1, 0));
  EXPECT_THAT((*outputs)[2].values, ElementsAre(6, -8, 0));
  EXPECT_THAT((*outputs)[3].values, ElementsAre(-13, 0, -1));
  EXPECT_THAT((*outputs)[4].values, ElementsAre(1, 0, 0));
}

TEST_F(PointwiseTest, Broadcasts) {
  auto output = evaluateText(R"(
    func.func @main(%a: tensor<2x1x3xf32>, %b: tensor<2x1xf32>)
        -> tensor<2x2x3xf32> {
      %0 = graph.add %a, %b
        : (tensor<2x1x3xf32>, tensor<2x1xf32>) -> tensor<2x2x3xf32>
      return %0 : tensor<2x2x3xf32>
    })",
                             {{1, 2, 3, 4, 5, 6}, {10, 20}})[0];
  EXPECT_THAT(output.values,
              ElementsAre(11, 12, 13, 21, 22, 23, 14, 15, 16, 24, 25, 26));
}

TEST_F(PointwiseTest, ReportsWhatItCannotEvaluate) {
  mlir::Block &dynamic = parse(R"(
    func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {
      %0 = graph.relu %x : tensor<?xf32>
      return %0 : tensor<?xf32>
    })");
  Inputs inputs;
  inputs.arguments = {nullptr};
  EXPECT_TRUE(mlir::failed(evaluate(dynamic, inputs)));
  EXPECT_THAT(error, testing::HasSubstr("static shape"));
  error.clear();
  mlir::Block &missing = parse(R"(
    func.func @main() -> tensor<2xf32> {
      %0 = graph.constant @w : tensor<2xf32>
      return %0 : tensor<2xf32>
    })");
  EXPECT_TRUE(mlir::failed(evaluate(missing, Inputs())));
  EXPECT_THAT(error, testing::HasSubstr("needs the bytes"));
}

} // namespace
} // namespace minic::reference
