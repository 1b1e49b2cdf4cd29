// SPDX-License-Identifier: Apache-2.0
//
// Ops that move, order and normalise elements: values against formulas, and
// bounds that accept a float32 kernel and reject a wrong one.

#include "test/unit/compiler/reference/ReferenceTest.h"

#include "dialects/graph/Graph.h"

#include <gmock/gmock.h>

#include <cmath>

namespace minic::reference {
namespace {

using testing::ElementsAre;
using testing::NanSensitiveDoubleEq;

const float kNan = std::nanf("");
constexpr float kInf = HUGE_VALF;

class StructureTest : public ReferenceTest {
protected:
  /// The results of a function of `arguments`, "%x: tensor<...>, ...".
  std::vector<runtime::ExpectedOutput>
  run(const std::string &arguments, const std::string &op,
      const std::string &results, const std::vector<const void *> &bytes) {
    size_t count = std::count(results.begin(), results.end(), '<');
    std::string text = "func.func @main(" + arguments + ") -> (" + results +
                       ") {\n%r" + (count > 1 ? ":2" : "") + " = " + op +
                       "\nreturn " + (count > 1 ? "%r#0, %r#1" : "%r") + " : " +
                       results + "\n}";
    Inputs inputs;
    inputs.arguments = bytes;
    auto outputs = evaluate(parse(text), inputs);
    EXPECT_TRUE(mlir::succeeded(outputs)) << error;
    return succeeded(outputs) ? *outputs
                              : std::vector<runtime::ExpectedOutput>(2);
  }
};

TEST_F(StructureTest, GatherClampsItsIndices) {
  float table[] = {1, 2, 3, 4, 5, 6};
  int64_t ids[] = {2, -1, 7};
  auto output =
      run("%x: tensor<3x2xf32>, %i: tensor<3xi64>",
          "graph.gather %x, %i axis = 0 : (tensor<3x2xf32>, tensor<3xi64>) "
          "-> tensor<3x2xf32>",
          "tensor<3x2xf32>", {table, ids})[0];
  EXPECT_THAT(output.values, ElementsAre(5, 6, 1, 2, 5, 6));
  int32_t columns[] = {1, 0, 1, 1};
  output =
      run("%x: tensor<3x2xf32>, %i: tensor<2x2xi32>",
          "graph.gather %x, %i axis = 1 : (tensor<3x2xf32>, tensor<2x2xi32>) "
          "-> tensor<3x2x2xf32>",
          "tensor<3x2x2xf32>", {table, columns})[0];
  EXPECT_THAT(output.values, ElementsAre(2, 1, 2, 2, 4, 3, 4, 4, 6, 5, 6, 6));
}

TEST_F(StructureTest, PiecesAndRepetitions) {
  float x[] = {1, 2, 3, 4, 5, 6}, y[] = {7, 8};
  auto output = run("%x: tensor<2x3xf32>, %y: tensor<2x1xf32>",
                    "graph.concat %x, %y axis = 1 : (tensor<2x3xf32>, "
                    "tensor<2x1xf32>) -> tensor<2x4xf32>",
                    "tensor<2x4xf32>", {x, y})[0];
  EXPECT_THAT(output.values, ElementsAre(1, 2, 3, 7, 4, 5, 6, 8));
  output = run("%x: tensor<2x3xf32>",
               "graph.slice %x [1, 0] to [2, 3] by [1, 2] : tensor<2x3xf32> "
               "-> tensor<1x2xf32>",
               "tensor<1x2xf32>", {x})[0];
  EXPECT_THAT(output.values, ElementsAre(4, 6));
  output = run("%x: tensor<2x3xf32>",
               "graph.pad %x before [0, 1] after [1, 0] {value = 9.0 : f64} : "
               "tensor<2x3xf32> -> tensor<3x4xf32>",
               "tensor<3x4xf32>", {x})[0];
  EXPECT_THAT(output.values, ElementsAre(9, 1, 2, 3, 9, 4, 5, 6, 9, 9, 9, 9));
  output = run("%y: tensor<2x1xf32>",
               "graph.broadcast %y : tensor<2x1xf32> to tensor<2x2x2xf32>",
               "tensor<2x2x2xf32>", {y})[0];
  EXPECT_THAT(output.values, ElementsAre(7, 7, 8, 8, 7, 7, 8, 8));
  output = run("", "graph.iota axis = 0 : tensor<3x2xi32>", "tensor<3x2xi32>",
               {})[0];
  EXPECT_THAT(output.values, ElementsAre(0, 0, 1, 1, 2, 2));
}

TEST_F(StructureTest, CacheUpdateFitsItsPosition) {
  float cache[] = {1, 2, 3, 4, 5, 6}, fresh[] = {7, 8};
  for (auto [position, expected] :
       {std::pair(int32_t(1), std::vector<double>{1, 7, 3, 4, 8, 6}),
        std::pair(int32_t(9), std::vector<double>{1, 2, 7, 4, 5, 8}),
        std::pair(int32_t(-1), std::vector<double>{7, 2, 3, 8, 5, 6})}) {
    auto output =
        run("%c: tensor<2x3xf32>, %x: tensor<2x1xf32>, %p: tensor<i32>",
            "graph.cache_update %c, %x at %p axis = 1 : (tensor<2x3xf32>, "
            "tensor<2x1xf32>, tensor<i32>) -> tensor<2x3xf32>",
            "tensor<2x3xf32>", {cache, fresh, &position})[0];
    EXPECT_EQ(output.values, expected) << position;
  }
}

TEST_F(StructureTest, OrderPutsNanFirstAndKeepsTies) {
  float x[] = {1, 5, 5, -kInf, 3, kNan, 2, kNan};
  auto arg = [&](const std::string &op, const std::string &result) {
    return run("%x: tensor<2x4xf32>",
               "graph.arg_reduce " + op + " : tensor<2x4xf32> -> " + result,
               result, {x})[0]
        .values;
  };
  EXPECT_THAT(arg("max, %x axis = 1", "tensor<2xi64>"), ElementsAre(1, 1));
  EXPECT_THAT(arg("min, %x axis = 1", "tensor<2xi64>"), ElementsAre(3, 1));
  EXPECT_THAT(arg("max, %x axis = 0 {keep_dims}", "tensor<1x4xi64>"),
              ElementsAre(1, 1, 0, 1));
  auto outputs = run("%x: tensor<2x4xf32>",
                     "graph.top_k max, %x axis = 1 k = 3 : tensor<2x4xf32> -> "
                     "tensor<2x3xf32>, tensor<2x3xi64>",
                     "tensor<2x3xf32>, tensor<2x3xi64>", {x});
  auto isNan = NanSensitiveDoubleEq(std::nan(""));
  EXPECT_THAT(outputs[0].values, ElementsAre(5, 5, 1, isNan, isNan, 3));
  EXPECT_THAT(outputs[1].values, ElementsAre(1, 2, 0, 1, 3, 0));
  EXPECT_THAT(outputs[1].tolerances, testing::Each(0));
}

// Elements that rounding may exchange leave their indices open; others do not.
TEST_F(StructureTest, IndicesOfEqualElementsAreOpen) {
  auto output = evaluateText(R"(
    func.func @main(%x: tensor<4xf32>) -> tensor<i64> {
      %0 = graph.exp %x : tensor<4xf32>
      %1 = graph.arg_reduce max, %0 axis = 0 : tensor<4xf32> -> tensor<i64>
      return %1 : tensor<i64>
    })",
                             {{1, 2, std::nextafterf(2, 0), 0}})[0];
  EXPECT_THAT(output.values, ElementsAre(1));
  EXPECT_THAT(output.tolerances, ElementsAre(1));
}

TEST_F(StructureTest, Cumsum) {
  int32_t x[] = {1, 2, 3, 4, 5, INT32_MAX};
  auto sums = [&](const std::string &attributes) {
    return run("%x: tensor<2x3xi32>",
               "graph.cumsum %x " + attributes + " : tensor<2x3xi32>",
               "tensor<2x3xi32>", {x})[0]
        .values;
  };
  EXPECT_THAT(sums("axis = 1"),
              ElementsAre(1, 3, 6, 4, 9, double(INT32_MIN) + 8));
  EXPECT_THAT(sums("axis = 0 {exclusive}"), ElementsAre(0, 0, 0, 1, 2, 3));
  EXPECT_THAT(sums("axis = 1 {exclusive, reverse}"),
              ElementsAre(5, 3, 0, double(INT32_MIN) + 4, INT32_MAX, 0));
  std::vector<float> y = randomFloats(1000, 3), got;
  float sum = 0;
  for (float element : y) {
    got.push_back(sum += element);
  }
  auto output =
      run("%y: tensor<1000xf32>", "graph.cumsum %y axis = 0 : tensor<1000xf32>",
          "tensor<1000xf32>", {y.data()})[0];
  EXPECT_EQ(countMismatches(output, got), 0);
  got[500] -= y[500];
  EXPECT_EQ(countMismatches(output, got), 1);
}

/// layer_norm of rows of `length` in float32, in two passes or by E[x^2].
std::vector<float> layerNorm(const std::vector<float> &x, size_t length,
                             bool isTwoPass) {
  std::vector<float> result;
  for (size_t row = 0; row < x.size(); row += length) {
    float sum = 0, squares = 0;
    for (size_t i = 0; i < length; ++i) {
      sum += x[row + i];
    }
    float mean = sum / float(length);
    for (size_t i = 0; i < length; ++i) {
      float d = isTwoPass ? x[row + i] - mean : x[row + i];
      squares += d * d;
    }
    float variance = squares / float(length);
    variance -= isTwoPass ? 0 : mean * mean;
    for (size_t i = 0; i < length; ++i) {
      result.push_back((x[row + i] - mean) / std::sqrt(variance + 1e-5f));
    }
  }
  return result;
}

TEST_F(StructureTest, LayerNormRejectsSquaresThatCancel) {
  for (float mean : {0.0f, 100.0f}) {
    std::vector<float> x = randomFloats(4 * 1024, 5, mean - 1.7f, mean + 1.7f);
    auto output = run("%x: tensor<4x1024xf32>",
                      "graph.layer_norm %x axis = 1 : (tensor<4x1024xf32>) -> "
                      "tensor<4x1024xf32>",
                      "tensor<4x1024xf32>", {x.data()})[0];
    EXPECT_EQ(countMismatches(output, layerNorm(x, 1024, true)), 0) << mean;
    int64_t wrong = countMismatches(output, layerNorm(x, 1024, false));
    EXPECT_EQ(wrong > 1000, mean > 0) << wrong;
  }
}

TEST_F(StructureTest, NormsScaleAndShift) {
  float x[] = {1, 2, 3, 6}, w[] = {1, 2, 1, 1}, b[] = {0, 0, 1, 0};
  auto output = run("%x: tensor<1x4xf32>, %w: tensor<4xf32>, %b: tensor<4xf32>",
                    "graph.layer_norm %x scale %w bias %b axis = 1 {epsilon = "
                    "0.5 : f64} : (tensor<1x4xf32>, tensor<4xf32>, "
                    "tensor<4xf32>) -> tensor<1x4xf32>",
                    "tensor<1x4xf32>", {x, w, b})[0];
  // Mean 3, variance 3.5.
  EXPECT_THAT(output.values, ElementsAre(-1, -1, 1, 1.5));
  output = run("%x: tensor<1x4xf32>, %w: tensor<4xf32>",
               "graph.rms_norm %x scale %w axis = 1 {epsilon = 3.5 : f64} : "
               "(tensor<1x4xf32>, tensor<4xf32>) -> tensor<1x4xf32>",
               "tensor<1x4xf32>", {x, w})[0];
  EXPECT_THAT(output.values, ElementsAre(0.25, 1, 0.75, 1.5));
  float y[] = {1, 3, 5, 5, 0, 2, 7, 7}, scale[] = {1, 1, 2, 1};
  output = run("%x: tensor<1x4x2xf32>, %w: tensor<4xf32>",
               "graph.group_norm %x scale %w groups = 4 {epsilon = 0.0 : f64} "
               ": (tensor<1x4x2xf32>, tensor<4xf32>) -> tensor<1x4x2xf32>",
               "tensor<1x4x2xf32>", {y, scale})[0];
  EXPECT_THAT(llvm::ArrayRef(output.values).take_front(2), ElementsAre(-1, 1));
  EXPECT_THAT(llvm::ArrayRef(output.values).slice(4, 2), ElementsAre(-2, 2));
}

TEST_F(StructureTest, NormsOfInfinities) {
  float infinity = HUGE_VALF, nan = std::nanf("");
  float x[] = {infinity, -infinity, 1, infinity, 0, -2};
  auto of = [&](const std::string &norm) {
    return run("%x: tensor<2x3xf32>",
               "graph." + norm +
                   " %x axis = 1 : (tensor<2x3xf32>) -> tensor<2x3xf32>",
               "tensor<2x3xf32>", {x})[0];
  };
  EXPECT_EQ(countMismatches(of("rms_norm"), {nan, nan, 0, nan, 0, 0}), 0);
  EXPECT_EQ(countMismatches(of("rms_norm"), {nan, nan, 1, 0, 1, nan}), 4);
  EXPECT_EQ(countMismatches(of("layer_norm"), std::vector<float>(6, nan)), 0);
  EXPECT_EQ(countMismatches(of("layer_norm"), std::vector<float>(6, 0)), 6);
}

TEST_F(StructureTest, LogSoftmax) {
  std::vector<float> x = randomFloats(3 * 50, 7, -20, 20), got;
  for (int row = 0; row < 3; ++row) {
    float sum = 0;
    for (int i = 0; i < 50; ++i) {
      sum += std::exp(x[row * 50 + i] - 20);
    }
    for (int i = 0; i < 50; ++i) {
      got.push_back(x[row * 50 + i] - 20 - std::log(sum));
    }
  }
  auto output = run("%x: tensor<3x50xf32>",
                    "graph.log_softmax %x axis = 1 : tensor<3x50xf32>",
                    "tensor<3x50xf32>", {x.data()})[0];
  EXPECT_EQ(countMismatches(output, got), 0);
  for (float &value : got) {
    value += 1e-3f;
  }
  EXPECT_EQ(countMismatches(output, got), 150);
  float special[] = {-kInf, 0, -kInf, -kInf, kNan, 1};
  output = run("%x: tensor<3x2xf32>",
               "graph.log_softmax %x axis = 1 : tensor<3x2xf32>",
               "tensor<3x2xf32>", {special})[0];
  auto isNan = NanSensitiveDoubleEq(std::nan(""));
  EXPECT_THAT(output.values,
              ElementsAre(-HUGE_VAL, 0, isNan, isNan, isNan, isNan));
}

TEST_F(StructureTest, RotaryTurnsPairs) {
  float x[] = {1, 2, 3, 4, 5}, cos[] = {0, 1}, sin[] = {1, 0};
  auto turned = [&](const std::string &attributes) {
    return run("%x: tensor<1x5xf32>, %c: tensor<2xf32>, %s: tensor<2xf32>",
               "graph.rotary %x, %c, %s " + attributes +
                   ": (tensor<1x5xf32>, tensor<2xf32>, tensor<2xf32>) -> "
                   "tensor<1x5xf32>",
               "tensor<1x5xf32>", {x, cos, sin})[0]
        .values;
  };
  EXPECT_THAT(turned(""), ElementsAre(-3, 2, 1, 4, 5));
  EXPECT_THAT(turned("{interleaved} "), ElementsAre(-2, 1, 3, 4, 5));
}

/// A named op and its stages mean the same.
TEST_F(StructureTest, StagesMeanWhatTheOpMeans) {
  for (std::string op :
       {"graph.log_softmax %x axis = 1 : tensor<2x6x4xf32>",
        "graph.layer_norm %x scale %w bias %b axis = 2 : (tensor<2x6x4xf32>, "
        "tensor<4xf32>, tensor<4xf32>) -> tensor<2x6x4xf32>",
        "graph.rms_norm %x scale %w axis = 2 : (tensor<2x6x4xf32>, "
        "tensor<4xf32>) -> tensor<2x6x4xf32>",
        "graph.group_norm %x scale %c bias %c groups = 3 : "
        "(tensor<2x6x4xf32>, tensor<6xf32>, tensor<6xf32>) -> "
        "tensor<2x6x4xf32>"}) {
    SCOPED_TRACE(op);
    std::string text = "func.func @main(%x: tensor<2x6x4xf32>, %w: "
                       "tensor<4xf32>, %b: tensor<4xf32>, %c: tensor<6xf32>) "
                       "-> tensor<2x6x4xf32> {\n%r = " +
                       op + "\nreturn %r : tensor<2x6x4xf32>\n}";
    std::vector<float> x = randomFloats(48, 1), w = randomFloats(4, 2),
                       b = randomFloats(4, 3), c = randomFloats(6, 4);
    Inputs inputs;
    inputs.arguments = {x.data(), w.data(), b.data(), c.data()};
    mlir::Block &body = parse(text);
    auto named = evaluate(body, inputs);
    mlir::Operation &first = body.front();
    mlir::OpBuilder builder(&first);
    auto stages =
        llvm::cast<graph::ExpandableOpInterface>(first).expand(builder);
    first.replaceAllUsesWith(stages);
    first.erase();
    auto expanded = evaluate(body, inputs);
    ASSERT_TRUE(succeeded(named) && succeeded(expanded)) << error;
    for (auto [a, e] :
         llvm::zip_equal((*named)[0].values, (*expanded)[0].values)) {
      EXPECT_NEAR(a, e, 1e-12);
    }
  }
}

} // namespace
} // namespace minic::reference
