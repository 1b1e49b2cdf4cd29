// SPDX-License-Identifier: Apache-2.0
//
// Quantiles against numpy's definition; the confidence intervals against
// textbook values and, by simulation, against what "95 %" promises.

#include "runtime/measure/Statistics.h"

#include "gtest/gtest.h"

#include <cmath>
#include <random>
#include <vector>

namespace minic::runtime {
namespace {

TEST(StatisticsTest, Quantiles) {
  std::vector<double> samples = {4, 1, 3, 2};
  EXPECT_EQ(median(samples), 2.5);
  EXPECT_EQ(quantile(samples, 0), 1);
  EXPECT_EQ(quantile(samples, 1), 4);
  EXPECT_DOUBLE_EQ(quantile(samples, 0.9), 3.7);
  EXPECT_EQ(mean(samples), 2.5);
  EXPECT_EQ(median({7.0}), 7);
  EXPECT_TRUE(std::isnan(median({})));
  EXPECT_TRUE(std::isnan(mean({})));
}

TEST(StatisticsTest, MedianIntervalOfSixIsTheirRange) {
  Estimate estimate = estimateMedian({1.0, 2.0, 3.0, 4.0, 5.0, 6.0});
  EXPECT_EQ(estimate.value, 3.5);
  EXPECT_EQ(estimate.low, 1);
  EXPECT_EQ(estimate.high, 6);
}

TEST(StatisticsTest, FiveSamplesBoundNothing) {
  std::vector<double> same(5, 1.0);
  EXPECT_TRUE(std::isinf(estimateMedian(same).high));
  Estimate ratio = estimateRatio(same, same);
  EXPECT_EQ(ratio.value, 1);
  EXPECT_EQ(ratio.low, 0);
  EXPECT_TRUE(std::isinf(ratio.high));
  EXPECT_EQ(estimateRatio({}, {}).low, 0);
}

TEST(StatisticsTest, MedianIntervalOfTwentyFive) {
  std::vector<double> samples;
  for (int i = 1; i <= 25; ++i) {
    samples.push_back(i);
  }
  // Tables of the sign test give ranks 8 and 18 for n = 25.
  Estimate estimate = estimateMedian(samples);
  EXPECT_EQ(estimate.low, 8);
  EXPECT_EQ(estimate.high, 18);
}

TEST(StatisticsTest, RatioIsThatOfTheFirstToTheSecond) {
  std::vector<double> a = {2, 4, 6, 8, 10, 12, 14}, b = {1, 2, 3, 4, 5, 6, 7};
  Estimate ratio = estimateRatio(a, b);
  EXPECT_DOUBLE_EQ(ratio.value, 2);
  EXPECT_DOUBLE_EQ(ratio.low, 2);
  EXPECT_DOUBLE_EQ(ratio.high, 2);
}

TEST(StatisticsTest, OneWildRoundDoesNotMoveTheRatio) {
  std::vector<double> a(20, 1.01), b(20, 1.0);
  a[3] = 50;
  Estimate ratio = estimateRatio(a, b);
  EXPECT_NEAR(ratio.value, 1.01, 1e-9);
  EXPECT_LT(ratio.high, 1.02);
}

/// Share of 2000 experiments of `rounds` rounds, under a clock that drifts by
/// 20 % and noise with a tail, whose interval holds the true ratio 1.05.
double coverage(int rounds) {
  std::mt19937 generator(7);
  std::uniform_real_distribution<double> drift(0.9, 1.1);
  std::gamma_distribution<double> noise(2.0, 0.01);
  int experiments = 2000, hits = 0;
  for (int experiment = 0; experiment < experiments; ++experiment) {
    std::vector<double> a, b;
    for (int round = 0; round < rounds; ++round) {
      double clock = drift(generator);
      a.push_back(1.05 * clock * (1 + noise(generator)));
      b.push_back(clock * (1 + noise(generator)));
    }
    Estimate ratio = estimateRatio(a, b);
    hits += ratio.low <= 1.05 && 1.05 <= ratio.high;
  }
  return double(hits) / experiments;
}

TEST(StatisticsTest, IntervalsCoverAsPromised) {
  for (int rounds : {6, 7, 10, 30}) {
    EXPECT_GT(coverage(rounds), 0.94) << rounds;
    EXPECT_LT(coverage(rounds), 0.985) << rounds;
  }
}

TEST(StatisticsTest, ManyRoundsStayCheapAndTight) {
  std::mt19937 generator(1);
  std::uniform_real_distribution<double> noise(1.0, 1.1);
  std::vector<double> a, b;
  for (int i = 0; i < 5000; ++i) {
    a.push_back(1.02 * noise(generator));
    b.push_back(noise(generator));
  }
  Estimate ratio = estimateRatio(a, b);
  EXPECT_NEAR(ratio.value, 1.02, 0.003);
  EXPECT_LT(ratio.halfWidth(), 0.003);
}

} // namespace
} // namespace minic::runtime
