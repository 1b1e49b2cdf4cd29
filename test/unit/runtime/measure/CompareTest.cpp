// SPDX-License-Identifier: Apache-2.0
//
// What counts as right: tolerances, NaN, infinities, overflow of narrow types,
// alternatives, rows not given.

#include "runtime/base/SmallFloat.h"
#include "runtime/measure/ExpectedOutputs.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <cmath>
#include <limits>

namespace minic::runtime {
namespace {

using ::testing::HasSubstr;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

ExpectedOutput vector(std::vector<double> values, double tolerance) {
  ExpectedOutput expected{.name = "y",
                          .dtype = DType::f32,
                          .dims = {int64_t(values.size())},
                          .rows = {},
                          .values = values,
                          .tolerances = {},
                          .alternatives = {}};
  expected.tolerances.assign(values.size(), tolerance);
  return expected;
}

Comparison compareFloats(const ExpectedOutput &expected,
                         std::vector<float> got) {
  return compare(expected, got.data());
}

TEST(CompareTest, WithinAndBeyondTolerance) {
  ExpectedOutput expected = vector({1, 2, -4}, 0.125);
  Comparison right = compareFloats(expected, {1.0625f, 2, -4});
  EXPECT_TRUE(right.matches);
  EXPECT_EQ(right.worst, 0.5);
  EXPECT_EQ(right.maxAbsoluteError, 0.0625);
  EXPECT_EQ(right.maxRelativeError, 0.0625 / 4);
  EXPECT_EQ(right.detail, "");
  EXPECT_TRUE(compareFloats(expected, {1.125f, 2, -4}).matches);

  Comparison wrong = compareFloats(expected, {1, 2.25f, -4.5f});
  EXPECT_FALSE(wrong.matches);
  EXPECT_EQ(wrong.worst, 4);
  EXPECT_EQ(wrong.detail, "output y[1]: expected 2 ±0.125, got 2.25 (2 of 3 "
                          "elements compared)");
}

TEST(CompareTest, ZeroToleranceAcceptsOnlyEqual) {
  EXPECT_TRUE(compareFloats(vector({0}, 0), {-0.0f}).matches);
  EXPECT_FALSE(compareFloats(vector({0}, 0), {1e-38f}).matches);
}

TEST(CompareTest, NaNMeetsNaNOnly) {
  EXPECT_TRUE(compareFloats(vector({nan}, 1), {NAN}).matches);
  EXPECT_TRUE(compareFloats(vector({nan}, nan), {NAN}).matches);
  EXPECT_FALSE(compareFloats(vector({nan}, 1), {0}).matches);
  Comparison wrong = compareFloats(vector({1}, 1), {NAN});
  EXPECT_FALSE(wrong.matches);
  EXPECT_EQ(wrong.worst, infinity);
  EXPECT_THAT(wrong.detail, HasSubstr("got nan"));
  EXPECT_FALSE(compareFloats(vector({1}, nan), {1.5f}).matches);
}

TEST(CompareTest, InfiniteToleranceAcceptsAnything) {
  ExpectedOutput expected = vector({1, nan, infinity}, infinity);
  EXPECT_TRUE(compareFloats(expected, {NAN, 3, -INFINITY}).matches);
}

TEST(CompareTest, Infinities) {
  EXPECT_TRUE(compareFloats(vector({infinity}, 0), {INFINITY}).matches);
  EXPECT_FALSE(compareFloats(vector({infinity}, 1), {-INFINITY}).matches);
  EXPECT_FALSE(compareFloats(vector({infinity}, 1), {1e30f}).matches);
  EXPECT_FALSE(compareFloats(vector({1}, 1), {INFINITY}).matches);
  // The reference is float64 and does not overflow where f32 does.
  EXPECT_TRUE(compareFloats(vector({-1e300}, 1e290), {-INFINITY}).matches);
  EXPECT_FALSE(compareFloats(vector({-1e300}, 1e290), {INFINITY}).matches);
}

TEST(CompareTest, OverflowOfF16) {
  ExpectedOutput expected = vector({65510}, 16);
  expected.dtype = DType::f16;
  uint16_t infinite = 0x7c00, largest = 0x7bff;
  EXPECT_TRUE(compare(expected, &infinite).matches);
  EXPECT_TRUE(compare(expected, &largest).matches);
  expected.values = {65400};
  EXPECT_FALSE(compare(expected, &infinite).matches);
}

TEST(CompareTest, Alternatives) {
  ExpectedOutput expected = vector({1, 1, 1}, 0.1);
  expected.alternatives = {0, nan, 0};
  EXPECT_TRUE(compareFloats(expected, {0.05f, 1, 1}).matches);
  EXPECT_FALSE(compareFloats(expected, {1, 0, 1}).matches);
  EXPECT_FALSE(compareFloats(expected, {1, 1, 0.5f}).matches);
}

TEST(CompareTest, IntegersAndBooleans) {
  ExpectedOutput expected = vector({-8, 127}, 0);
  expected.dtype = DType::i8;
  int8_t bytes[] = {-8, 127};
  EXPECT_TRUE(compare(expected, bytes).matches);
  bytes[1] = -127;
  EXPECT_FALSE(compare(expected, bytes).matches);
  expected = vector({0, 1}, 0);
  expected.dtype = DType::i1;
  uint8_t bits[] = {0, 1};
  EXPECT_TRUE(compare(expected, bits).matches);
}

TEST(CompareTest, GivenRowsAreFoundInTheOutput) {
  ExpectedOutput expected{.name = "y",
                          .dtype = DType::f32,
                          .dims = {2, 2, 3},
                          .rows = {1, 3},
                          .values = {3, 4, 5, 9, 10, 11},
                          .tolerances = {0, 0, 0, 0, 0, 0},
                          .alternatives = {}};
  std::vector<float> got(12);
  for (int i = 0; i < 12; ++i) {
    got[i] = float(i);
  }
  got[0] = 100; // row 0 is not given
  EXPECT_TRUE(compareFloats(expected, got).matches);
  got[10] = 0;
  EXPECT_THAT(compareFloats(expected, got).detail,
              HasSubstr("output y[1, 1, 1]: expected 10"));
}

TEST(CompareTest, ScalarsAndNothing) {
  ExpectedOutput scalar = vector({3}, 0);
  scalar.dims = {};
  EXPECT_TRUE(compareFloats(scalar, {3}).matches);
  EXPECT_THAT(compareFloats(scalar, {4}).detail, HasSubstr("output y[]"));
  ExpectedOutput empty = vector({}, 0);
  EXPECT_TRUE(compare(empty, nullptr).matches);
}

class TrustedTest : public testing::Test {
protected:
  ExpectedOutput expected{.name = "y",
                          .dtype = DType::f32,
                          .dims = {100, 10},
                          .rows = {0, 99},
                          .values = std::vector<double>(20, 1.0),
                          .tolerances = std::vector<double>(20, 0.01),
                          .alternatives = {}};
  std::vector<float> trusted = std::vector<float>(1000, 1.0f);
  std::vector<float> got = trusted;
  Comparison comparison() {
    return compareWithTrusted(expected, trusted.data(), got.data());
  }
};

TEST_F(TrustedTest, FourTimesTheLargestToleranceOfTheGivenRows) {
  expected.tolerances[3] = 0.02;
  expected.tolerances[4] = infinity; // says nothing of the others
  got[500] = 1.079f;
  EXPECT_TRUE(comparison().matches);
  got[500] = 1.081f;
  EXPECT_FALSE(comparison().matches);
  EXPECT_THAT(comparison().detail,
              HasSubstr("output y[50, 0]: trusted run has 1 ±0.08, got 1.08"));
}

TEST_F(TrustedTest, GivenRowsAreNotItsBusiness) {
  got[0] = got[999] = 5;
  EXPECT_TRUE(comparison().matches);
  expected.rows = {};
  got[500] = 5;
  EXPECT_TRUE(comparison().matches);
}

TEST_F(TrustedTest, NaNAndInfinityMustAgree) {
  trusted[500] = got[500] = NAN;
  trusted[501] = got[501] = INFINITY;
  EXPECT_TRUE(comparison().matches);
  got[500] = 1;
  EXPECT_FALSE(comparison().matches);
  got[500] = NAN;
  got[501] = 1e10f;
  EXPECT_FALSE(comparison().matches);
}

TEST_F(TrustedTest, OtherBranchesMayBeTakenRarely) {
  expected.alternatives.assign(20, nan);
  expected.alternatives[0] = 0; // (1 + 3) / 20 of 980 elements: 196
  for (int i = 0; i < 196; ++i) {
    got[10 + i] = 0;
  }
  EXPECT_TRUE(comparison().matches);
  EXPECT_EQ(comparison().worst, 1);
  got[10 + 196] = 0;
  EXPECT_FALSE(comparison().matches);
}

TEST(CompareTest, ManyRowsAreComparedAsFewAre) {
  // By several threads, where there are cores for them.
  constexpr int64_t rows = 4096, row = 1024;
  ExpectedOutput expected{.name = "y",
                          .dtype = DType::f32,
                          .dims = {rows, row},
                          .rows = {0, 2047, 4095},
                          .values = std::vector<double>(3 * row, 1.0),
                          .tolerances = std::vector<double>(3 * row, 0.01),
                          .alternatives = {}};
  std::vector<float> trusted(rows * row, 1.0f), got = trusted;
  got[4090 * row + 1] = 1.03f;
  got[10 * row + 1] = 1.02f;
  trusted[3000 * row] = got[3000 * row] = 7;
  got[2047 * row] = 100; // a row that is given
  Comparison right = compareWithTrusted(expected, trusted.data(), got.data());
  EXPECT_TRUE(right.matches);
  EXPECT_NEAR(right.worst, 0.75, 1e-3);
  EXPECT_EQ(right.worstElement.index, 4090 * row + 1);
  EXPECT_NEAR(right.maxRelativeError, 0.03 / 7, 1e-5);
  got[2500 * row + 3] = got[4000 * row] = 2;
  Comparison wrong = compareWithTrusted(expected, trusted.data(), got.data());
  EXPECT_FALSE(wrong.matches);
  EXPECT_EQ(wrong.worstElement.index, 2500 * row + 3);
  EXPECT_THAT(wrong.detail,
              HasSubstr("output y[2500, 3]: trusted run has 1 ±0.04, got 2 (2 "
                        "of 4191232 elements compared)"));
}

} // namespace
} // namespace minic::runtime
