// SPDX-License-Identifier: Apache-2.0
//
// The error and the bound of an output as a whole.

#include "runtime/measure/RootMeanSquare.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace minic::runtime {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

TEST(RootMeanSquareTest, RelativeToTheExpectedValues) {
  ExpectedOutput expected{"y",          DType::f32,   {2, 2}, {},
                          {3, 4, 0, 0}, {0, 0, 1, 0}, {}};
  float got[] = {3, 4, 0, 2};
  RootMeanSquare whole = rootMeanSquare(expected, got);
  EXPECT_DOUBLE_EQ(whole.error, 0.4);
  EXPECT_DOUBLE_EQ(whole.bound, 0.2);
  EXPECT_FALSE(whole.isVacuous());
  expected.tolerances[0] = 1.5;
  EXPECT_TRUE(rootMeanSquare(expected, got).isVacuous());
}

TEST(RootMeanSquareTest, OfTheGivenRows) {
  ExpectedOutput expected{"y", DType::f32, {3, 2}, {2}, {3, 4}, {0, 0}, {}};
  float got[] = {100, 100, 100, 100, 3, 9};
  EXPECT_DOUBLE_EQ(rootMeanSquare(expected, got).error, 1);
}

TEST(RootMeanSquareTest, UnboundedElementsCountAndInfiniteOnesDoNot) {
  ExpectedOutput expected{
      "y", DType::f32, {3}, {}, {1, infinity, 1}, {infinity, 0, 0}, {}};
  float got[] = {2, 7, 1};
  RootMeanSquare whole = rootMeanSquare(expected, got);
  EXPECT_DOUBLE_EQ(whole.error, std::sqrt(0.5));
  EXPECT_TRUE(whole.isVacuous());
}

TEST(RootMeanSquareTest, NothingExpectedAndNothingWrong) {
  ExpectedOutput expected{"y", DType::f32, {2}, {}, {0, 0}, {0, 0}, {}};
  float got[] = {0, 0};
  EXPECT_EQ(rootMeanSquare(expected, got).error, 0);
  got[1] = 1;
  EXPECT_EQ(rootMeanSquare(expected, got).error, infinity);
}

} // namespace
} // namespace minic::runtime
