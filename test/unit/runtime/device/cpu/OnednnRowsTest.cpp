// SPDX-License-Identifier: Apache-2.0
//
// oneDNN's softmax, layer normalization and reductions inside plans, against
// their definitions in float64.

#include "runtime/device/cpu/OnednnLibrary.h"
#include "runtime/program/Context.h"
#include "test/unit/runtime/testing/PackedTable.h"
#include "test/unit/runtime/testing/TestArtifact.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <random>

namespace minic::runtime {
namespace {

using namespace ::minic::testing;
using Row = std::vector<double>;

class OnednnRowsTest : public ::testing::TestWithParam<std::pair<int, int>> {
protected:
  void SetUp() override {
    if (auto library = OnednnLibrary::open(); !library.ok()) {
      GTEST_SKIP() << library.status();
    }
  }

  int64_t rows() const { return GetParam().first; }
  int64_t columns() const { return GetParam().second; }

  /// The artifact becomes a plan of `op` alone, of x[rows, columns] to
  /// y[rows, results].
  format::CallT &plan(const std::string &op, int64_t results) {
    artifact = TestArtifact();
    artifact.input("x", {rows(), columns()});
    artifact.output("y", {rows(), results});
    format::CallT &call = artifact.call(libraryCall("onednn", op));
    setOperand(
        call, "input",
        tensorView(inputAddress(0), {rows(), columns()}, {columns(), 1}));
    setOperand(call, "result",
               tensorView(outputAddress(0), {rows(), results}, {results, 1}));
    return call;
  }

  /// Runs it on random rows; `define` is the meaning of one.
  void expectRows(int64_t results,
                  const std::function<Row(const Row &)> &define,
                  double tolerance) {
    auto program = Program::loadBytes(artifact.bytes());
    ASSERT_TRUE(program.ok()) << program.status();
    auto context = Context::create(*program);
    ASSERT_TRUE(context.ok()) << context.status();
    AlignedFloats x(rows() * columns()), y(rows() * results, NAN);
    std::mt19937 random(7);
    std::uniform_real_distribution<float> uniform(-2, 2);
    std::generate_n(x.data(), rows() * columns(),
                    [&] { return uniform(random); });
    std::vector<int64_t> xDims = {rows(), columns()}, yDims = {rows(), results};
    absl::Status status = (*context)->run({{x.data(), DType::f32, xDims}},
                                          {{y.data(), DType::f32, yDims}});
    ASSERT_TRUE(status.ok()) << status;
    for (int64_t i = 0; i < rows(); ++i) {
      const float *row = x.data() + i * columns();
      Row expected = define(Row(row, row + columns()));
      for (int64_t j = 0; j < results; ++j) {
        EXPECT_NEAR(y[i * results + j], expected[j], tolerance)
            << i << " " << j;
      }
    }
  }

  TestArtifact artifact;
};

Row softmaxOf(Row row) {
  double sum = 0;
  for (double &value : row) {
    sum += value = std::exp(value);
  }
  for (double &value : row) {
    value /= sum;
  }
  return row;
}

TEST_P(OnednnRowsTest, Softmax) {
  format::CallT &call = plan("softmax", columns());
  setInteger(call, "axis", 1);
  expectRows(columns(), softmaxOf, 1e-6);
}

TEST_P(OnednnRowsTest, LayerNorm) {
  Row scale(columns()), bias(columns());
  std::iota(scale.begin(), scale.end(), 0.5);
  std::iota(bias.begin(), bias.end(), -1);
  format::CallT &call = plan("layer_norm", columns());
  for (auto [role, values] : {std::pair("scale", scale), {"bias", bias}}) {
    uint32_t constant = artifact.constant(
        role, {columns()}, std::vector<float>(values.begin(), values.end()));
    setOperand(call, role,
               tensorView(constantAddress(constant), {columns()}, {1}));
  }
  setNumber(call, "epsilon", 0.25);
  expectRows(
      columns(),
      [&](const Row &row) {
        double n = double(row.size());
        double mean = std::accumulate(row.begin(), row.end(), 0.0) / n;
        double variance = 0;
        for (double value : row) {
          variance += (value - mean) * (value - mean) / n;
        }
        Row result;
        for (size_t j = 0; j < row.size(); ++j) {
          result.push_back((row[j] - mean) / std::sqrt(variance + 0.25) *
                               scale[j] +
                           bias[j]);
        }
        return result;
      },
      1e-5 * double(columns()));
}

TEST_P(OnednnRowsTest, Reductions) {
  if (columns() == 1) {
    GTEST_SKIP() << "oneDNN refuses a reduction of one element";
  }
  const std::pair<const char *, std::function<double(const Row &)>> kinds[] = {
      {"sum",
       [](const Row &row) {
         return std::accumulate(row.begin(), row.end(), 0.0);
       }},
      {"mean",
       [](const Row &row) {
         return std::accumulate(row.begin(), row.end(), 0.0) /
                double(row.size());
       }},
      {"max",
       [](const Row &row) {
         return *std::max_element(row.begin(), row.end());
       }},
      {"min",
       [](const Row &row) {
         return *std::min_element(row.begin(), row.end());
       }},
      {"prod", [](const Row &row) {
         return std::accumulate(row.begin(), row.end(), 1.0,
                                std::multiplies<double>());
       }}};
  for (const auto &[kind, define] : kinds) {
    SCOPED_TRACE(kind);
    format::CallT &call = plan("reduction", 1);
    setText(call, "kind", kind);
    expectRows(
        1, [&](const Row &row) { return Row{define(row)}; },
        1e-5 * double(columns()));
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, OnednnRowsTest,
                         ::testing::Values(std::pair(1, 1), std::pair(1, 17),
                                           std::pair(7, 33),
                                           std::pair(13, 100)));

} // namespace
} // namespace minic::runtime
