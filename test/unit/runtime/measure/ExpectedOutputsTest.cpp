// SPDX-License-Identifier: Apache-2.0
//
// The file of expected outputs: what is written is read, what is damaged is
// refused wherever the damage is.

#include "runtime/measure/ExpectedOutputs.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <cmath>
#include <fstream>
#include <limits>
#include <sstream>

namespace minic::runtime {
namespace {

using ::testing::HasSubstr;

std::string temporaryPath(const char *name) {
  return testing::TempDir() + "/expected-" + std::to_string(getpid()) + name;
}

std::vector<ExpectedOutput> sample() {
  ExpectedOutput some{
      .name = "y",
      .dtype = DType::bf16,
      .dims = {2, 3, 2},
      .rows = {0, 4},
      .values = {1, -2, std::nan(""), 0.5},
      .tolerances = {0, 0.1, std::numeric_limits<double>::infinity(), 1e-9},
      .alternatives = {std::nan(""), 0, 0, 0}};
  ExpectedOutput all{.name = "scalar output",
                     .dtype = DType::i64,
                     .dims = {},
                     .rows = {},
                     .values = {7},
                     .tolerances = {0},
                     .alternatives = {}};
  ExpectedOutput none{.name = "",
                      .dtype = DType::f32,
                      .dims = {4, 0},
                      .rows = {},
                      .values = {},
                      .tolerances = {},
                      .alternatives = {}};
  return {some, all, none};
}

std::string slurp(const std::string &path) {
  std::ostringstream content;
  content << std::ifstream(path, std::ios::binary).rdbuf();
  return content.str();
}

void spill(const std::string &path, const std::string &content) {
  std::ofstream(path, std::ios::binary) << content;
}

TEST(ExpectedOutputsTest, RoundTrip) {
  std::string path = temporaryPath("round");
  ASSERT_TRUE(writeExpectedOutputs(path, sample()).ok());
  auto got = readExpectedOutputs(path);
  ASSERT_TRUE(got.ok()) << got.status();
  ASSERT_EQ(got->size(), 3u);
  const ExpectedOutput &y = (*got)[0];
  EXPECT_EQ(y.name, "y");
  EXPECT_EQ(y.dtype, DType::bf16);
  EXPECT_EQ(y.dims, (std::vector<int64_t>{2, 3, 2}));
  EXPECT_EQ(y.rows, (std::vector<int64_t>{0, 4}));
  EXPECT_EQ(y.values[1], -2);
  EXPECT_TRUE(std::isnan(y.values[2]));
  EXPECT_TRUE(std::isinf(y.tolerances[2]));
  EXPECT_TRUE(std::isnan(y.alternatives[0]));
  EXPECT_EQ((*got)[1].name, "scalar output");
  EXPECT_EQ((*got)[1].values, std::vector<double>{7});
  EXPECT_EQ((*got)[2].dims, (std::vector<int64_t>{4, 0}));
}

TEST(ExpectedOutputsTest, MissingAndUnwritable) {
  EXPECT_EQ(readExpectedOutputs("/nonexistent/e").status().code(),
            absl::StatusCode::kNotFound);
  EXPECT_FALSE(writeExpectedOutputs("/nonexistent/e", sample()).ok());
}

TEST(ExpectedOutputsTest, RefusesEveryTruncationAndFlippedByte) {
  std::string path = temporaryPath("damage");
  ASSERT_TRUE(writeExpectedOutputs(path, sample()).ok());
  std::string whole = slurp(path);
  for (size_t size = 0; size < whole.size(); ++size) {
    spill(path, whole.substr(0, size));
    auto got = readExpectedOutputs(path);
    ASSERT_EQ(got.status().code(), absl::StatusCode::kDataLoss) << size;
    EXPECT_THAT(std::string(got.status().message()), HasSubstr(path));
  }
  for (size_t i = 0; i < whole.size(); ++i) {
    std::string flipped = whole;
    flipped[i] ^= 0x10;
    spill(path, flipped);
    ASSERT_EQ(readExpectedOutputs(path).status().code(),
              absl::StatusCode::kDataLoss)
        << i;
  }
}

TEST(ExpectedOutputsTest, RefusesContradictions) {
  std::string path = temporaryPath("contradiction");
  auto refused = [&](ExpectedOutput output, const char *field) {
    ASSERT_TRUE(writeExpectedOutputs(path, {output}).ok());
    auto got = readExpectedOutputs(path);
    ASSERT_FALSE(got.ok()) << field;
    EXPECT_THAT(std::string(got.status().message()), HasSubstr(field));
  };
  ExpectedOutput good = sample()[0];
  ExpectedOutput bad = good;
  bad.dtype = DType(99);
  refused(bad, "dtype");
  bad = good;
  bad.dims = {-2, 3, 2};
  refused(bad, "dims");
  bad.dims = {int64_t(1) << 40, int64_t(1) << 40, 2};
  refused(bad, "dims");
  bad = good;
  bad.rows = {4, 0};
  refused(bad, "rows");
  bad.rows = {0, 6};
  refused(bad, "rows");
  bad.rows = {0};
  refused(bad, "values");
  bad = good;
  bad.tolerances.pop_back();
  refused(bad, "tolerances");
  bad = good;
  bad.alternatives.pop_back();
  refused(bad, "alternatives");
}

} // namespace
} // namespace minic::runtime
