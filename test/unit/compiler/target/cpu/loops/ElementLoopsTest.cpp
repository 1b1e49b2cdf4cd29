// SPDX-License-Identifier: Apache-2.0
//
// Ops that say their own reads, compiled and run: NaN, ties, indices out of
// range and the status word they set. Ordinary values are compared end to end
// with the reference (test/e2e).

#include "compiler/target/cpu/loops/LoopsFamily.h"

#include "test/unit/compiler/target/cpu/LoweredFusion.h"
#include "test/unit/compiler/target/cpu/pointwise/DenseTensor.h"
#include "test/unit/dialects/kernel/ParsedFusion.h"

#include "gmock/gmock.h"

#include <deque>

using ::testing::ElementsAre;

namespace minic::cpu {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

/// A body with its operands and, behind them, its results.
class ElementLoops : public testing::Test {
protected:
  DenseTensor &add(const std::string &dtype, const std::vector<int64_t> &dims,
                   const std::vector<double> &values = {}) {
    DenseTensor &tensor = tensors.emplace_back(dtype, dims);
    for (size_t i = 0; i < values.size(); ++i) {
      tensor.set(int64_t(i), values[i]);
    }
    return tensor;
  }

  /// Runs `body`; the last `results` tensors are what it yields.
  void run(const std::string &body, size_t results, bool hasStatusWord) {
    std::vector<std::string> operands;
    std::string types;
    std::vector<void *> addresses;
    for (size_t i = 0; i < tensors.size(); ++i) {
      addresses.push_back(tensors[i].data());
      if (i + results < tensors.size()) {
        operands.push_back(tensors[i].type());
      } else {
        types += (types.empty() ? "" : ", ") + tensors[i].type();
      }
    }
    if (hasStatusWord) {
      addresses.push_back(&statusWord);
    }
    ParsedFusion parsed(operands, results > 1 ? "(" + types + ")" : types,
                        body);
    runFusion(LoopsFamily(), parsed.get(), addresses);
  }

  static std::vector<double> valuesOf(const DenseTensor &tensor) {
    std::vector<double> values;
    for (int64_t i = 0; i < tensor.count(); ++i) {
      values.push_back(tensor.get(i));
    }
    return values;
  }

  std::deque<DenseTensor> tensors;
  uint32_t statusWord = 0;
};

TEST_F(ElementLoops, GatherClampsAndReports) {
  for (std::string dtype : {"i32", "i64"}) {
    SCOPED_TRACE(dtype);
    tensors.clear();
    statusWord = 0;
    add("f32", {3, 2}, {0, 1, 2, 3, 4, 5});
    DenseTensor &ids = add(dtype, {4}, {2, 0, 1, 2});
    DenseTensor &got = add("f32", {4, 2});
    std::string body = "%r = graph.gather %0, %1 axis = 0 : (tensor<3x2xf32>, "
                       "tensor<4x" +
                       dtype +
                       ">) -> tensor<4x2xf32>\n"
                       "kernel.yield %r : tensor<4x2xf32>";
    run(body, 1, true);
    EXPECT_THAT(valuesOf(got), ElementsAre(4, 5, 0, 1, 2, 3, 4, 5));
    EXPECT_EQ(statusWord, 0u);
    for (double outside : {-1.0, 3.0, -2147483648.0, 2147483647.0}) {
      statusWord = 0;
      ids.set(1, outside);
      run(body, 1, true);
      double row = outside < 0 ? 0 : 2;
      EXPECT_THAT(valuesOf(got),
                  ElementsAre(4, 5, 2 * row, 2 * row + 1, 2, 3, 4, 5));
      EXPECT_NE(statusWord, 0u) << outside;
    }
  }
}

/// What is in no branch that is taken is not reported.
TEST_F(ElementLoops, ReportsOnlyWhatIsRead) {
  add("f32", {3}, {1, 2, 3});
  add("i32", {2}, {7, 1});
  DenseTensor &got = add("f32", {1});
  std::string body = R"(
    %g = graph.gather %0, %1 axis = 0 : (tensor<3xf32>, tensor<2xi32>) -> tensor<2xf32>
    %r = graph.slice %g [1] to [2] by [1] : tensor<2xf32> -> tensor<1xf32>
    kernel.yield %r : tensor<1xf32>)";
  run(body, 1, true);
  EXPECT_THAT(valuesOf(got), ElementsAre(2));
  EXPECT_EQ(statusWord, 0u);
}

TEST_F(ElementLoops, CacheUpdateClampsAndReports) {
  add("f32", {4}, {0, 1, 2, 3});
  add("f32", {2}, {8, 9});
  DenseTensor &position = add("i64", {}, {1});
  DenseTensor &got = add("f32", {4});
  std::string body = R"(
    %r = graph.cache_update %0, %1 at %2 axis = 0
      : (tensor<4xf32>, tensor<2xf32>, tensor<i64>) -> tensor<4xf32>
    kernel.yield %r : tensor<4xf32>)";
  run(body, 1, true);
  EXPECT_THAT(valuesOf(got), ElementsAre(0, 8, 9, 3));
  EXPECT_EQ(statusWord, 0u);
  position.set(0, 3);
  run(body, 1, true);
  EXPECT_THAT(valuesOf(got), ElementsAre(0, 1, 8, 9));
  EXPECT_NE(statusWord, 0u);
  statusWord = 0;
  position.set(0, -5);
  run(body, 1, true);
  EXPECT_THAT(valuesOf(got), ElementsAre(8, 9, 2, 3));
  EXPECT_NE(statusWord, 0u);
}

TEST_F(ElementLoops, TopKPutsNanFirstAndTiesInOrder) {
  for (std::string extreme : {"max", "min"}) {
    SCOPED_TRACE(extreme);
    tensors.clear();
    double sign = extreme == "max" ? 1 : -1;
    add("f32", {7}, {sign, kNan, 3 * sign, 0.0, 3 * sign, -0.0, kNan});
    DenseTensor &values = add("f32", {7}), &indices = add("i64", {7});
    run("%v, %i = graph.top_k " + extreme +
            ", %0 axis = 0 k = 7 : tensor<7xf32> -> tensor<7xf32>, "
            "tensor<7xi64>\nkernel.yield %v, %i : tensor<7xf32>, tensor<7xi64>",
        2, false);
    EXPECT_THAT(valuesOf(indices), ElementsAre(1, 6, 2, 4, 0, 3, 5));
    EXPECT_TRUE(std::isnan(values.get(0)) && std::isnan(values.get(1)));
    EXPECT_EQ(values.get(2), 3 * sign);
    EXPECT_EQ(values.get(4), sign);
  }
}

TEST_F(ElementLoops, TopKFindsTheLeastIntegers) {
  add("i8", {2, 3}, {-128, 127, 0, 5, 127, 127});
  DenseTensor &values = add("i8", {2, 3}), &indices = add("i64", {2, 3});
  run(R"(
    %v, %i = graph.top_k max, %0 axis = 1 k = 3 : tensor<2x3xi8> -> tensor<2x3xi8>, tensor<2x3xi64>
    kernel.yield %v, %i : tensor<2x3xi8>, tensor<2x3xi64>)",
      2, false);
  EXPECT_THAT(valuesOf(values), ElementsAre(127, 0, -128, 127, 127, 5));
  EXPECT_THAT(valuesOf(indices), ElementsAre(1, 2, 0, 1, 2, 0));
}

/// Hundreds of operands, found by bisection, one of them computed.
TEST_F(ElementLoops, ConcatenatesManyOperands) {
  std::string operands = "%e", types = "tensor<1xi32>";
  for (int i = 0; i < 300; ++i) {
    int64_t extent = i % 3;
    std::vector<double> values(size_t(extent), i);
    add("i32", {extent}, values);
    if (i > 0) {
      operands += ", %" + std::to_string(i);
      types += ", tensor<" + std::to_string(extent) + "xi32>";
    }
  }
  add("i32", {1}, {-21});
  DenseTensor &got = add("i32", {301});
  run("%e = graph.add %300, %300 : tensor<1xi32>\n%r = graph.concat " +
          operands + " axis = 0 : (" + types +
          ") -> tensor<301xi32>\nkernel.yield %r : tensor<301xi32>",
      1, false);
  std::vector<double> expected = {-42};
  for (int i = 1; i < 300; ++i) {
    expected.insert(expected.end(), size_t(i % 3), i);
  }
  EXPECT_EQ(valuesOf(got), expected);
}

TEST_F(ElementLoops, CountsInEveryDtype) {
  for (std::string dtype : {"f32", "bf16", "f16", "i8", "i32", "i64"}) {
    SCOPED_TRACE(dtype);
    tensors.clear();
    DenseTensor &got = add(dtype, {2, 3});
    run("%r = graph.iota axis = 1 : tensor<2x3x" + dtype +
            ">\nkernel.yield %r : tensor<2x3x" + dtype + ">",
        1, false);
    EXPECT_THAT(valuesOf(got), ElementsAre(0, 1, 2, 0, 1, 2));
  }
}

TEST_F(ElementLoops, RotatesPairsAndKeepsTheRest) {
  add("f32", {5}, {1, 2, 3, 4, 5});
  add("f32", {2}, {2, 3});
  add("f32", {2}, {10, 20});
  DenseTensor &got = add("f32", {5});
  auto bodyOf = [](const std::string &attributes) {
    return "%r = graph.rotary %0, %1, %2 " + attributes +
           " : (tensor<5xf32>, tensor<2xf32>, tensor<2xf32>) -> "
           "tensor<5xf32>\nkernel.yield %r : tensor<5xf32>";
  };
  run(bodyOf(""), 1, false);
  EXPECT_THAT(valuesOf(got), ElementsAre(2 - 30, 6 - 80, 6 + 10, 12 + 40, 5));
  run(bodyOf("{interleaved}"), 1, false);
  EXPECT_THAT(valuesOf(got), ElementsAre(2 - 20, 4 + 10, 9 - 80, 12 + 60, 5));
}

/// A reduction read where data say would be computed once per read.
TEST_F(ElementLoops, RefusesToGatherFromAReduction) {
  ParsedFusion parsed({"tensor<4x8xf32>", "tensor<4xi32>"}, "tensor<4xf32>",
                      R"(
    %s = graph.reduce sum, %0 [1] : tensor<4x8xf32> -> tensor<4xf32>
    %r = graph.gather %s, %1 axis = 0 : (tensor<4xf32>, tensor<4xi32>) -> tensor<4xf32>
    kernel.yield %r : tensor<4xf32>)");
  EXPECT_EQ(LoopsFamily().reject(parsed.get(), getCpuProfile(2, "")),
            "a reduction's result is read at another index");
}

} // namespace
} // namespace minic::cpu
