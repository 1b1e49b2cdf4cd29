// SPDX-License-Identifier: Apache-2.0
//
// The best buckets, beside every set that there is.

#include "compiler/sizes/ChooseBuckets.h"

#include <gmock/gmock.h>

#include <cmath>
#include <numeric>

namespace minic::sizes {
namespace {

using ::testing::ElementsAre;
using ::testing::SizeIs;

/// What runs take with `buckets`, run by run.
double expectedUs(const SizeDistribution &sizes,
                  const std::vector<size_t> &buckets,
                  const std::vector<double> &times) {
  double sum = 0;
  for (size_t i = 0; i < sizes.sizes().size(); ++i) {
    sum += sizes.share(i) *
           times[*std::lower_bound(buckets.begin(), buckets.end(), i)];
  }
  return sum;
}

TEST(ChooseBucketsTest, isTheBestOfAll) {
  // Noisy times, so that a larger bucket may be faster than a smaller one.
  auto sizes =
      SizeDistribution::parse("1 5\n2\n3 2\n4\n6 9\n7\n9 4\n", "f", 1, 9);
  ASSERT_TRUE(sizes.ok());
  std::vector<double> times = {3, 9, 8, 12, 11, 19, 18};
  std::vector<size_t> all(times.size());
  std::iota(all.begin(), all.end(), 0);
  std::vector<BucketSet> sets = chooseBuckets(*sizes, all, times, 8);
  ASSERT_THAT(sets, SizeIs(7));
  for (size_t k = 1; k <= all.size(); ++k) {
    double best = HUGE_VAL;
    for (unsigned mask = 0; mask < 1u << 6; ++mask) {
      std::vector<size_t> buckets;
      for (size_t i = 0; i < 6; ++i) {
        if (mask >> i & 1) {
          buckets.push_back(i);
        }
      }
      buckets.push_back(6);
      if (buckets.size() == k) {
        best = std::min(best, expectedUs(*sizes, buckets, times));
      }
    }
    EXPECT_THAT(sets[k - 1].buckets, SizeIs(k));
    EXPECT_NEAR(sets[k - 1].expectedUs, best, 1e-9) << k;
    EXPECT_NEAR(expectedUs(*sizes, sets[k - 1].buckets, times), best, 1e-9);
  }
}

TEST(ChooseBucketsTest, countsPaddedRows) {
  SizeDistribution sizes = SizeDistribution::uniform(1, 4);
  std::vector<BucketSet> sets = chooseBuckets(sizes, {1, 3}, {1, 1, 2, 2}, 2);
  // Rows: 2.5 of 4; 2.5 of (2 + 4) / 2.
  EXPECT_NEAR(sets[0].padding, 1 - 2.5 / 4, 1e-12);
  EXPECT_NEAR(sets[1].padding, 1 - 2.5 / 3, 1e-12);
  EXPECT_THAT(sets[1].buckets, ElementsAre(1, 3));
  EXPECT_NEAR(sets[1].expectedUs, 1.5, 1e-12);
  EXPECT_NEAR(idealUs(sizes, {1, 1, 2, 2}), 1.5, 1e-12);
}

TEST(ChooseBucketsTest, proposesTheEndsOfSteps) {
  // Times that jump after 560 and 1024.
  SizeDistribution sizes = SizeDistribution::uniform(1, 2048);
  std::vector<double> times;
  for (int64_t size : sizes.sizes()) {
    times.push_back(size <= 560 ? 10 : size <= 1024 ? 25 : 60);
  }
  std::vector<size_t> all(times.size());
  std::iota(all.begin(), all.end(), 0);
  std::vector<BucketSet> sets = chooseBuckets(sizes, all, times, 8);
  size_t knee = findKnee(sets);
  EXPECT_EQ(knee, 2u);
  EXPECT_THAT(sets[knee].buckets, ElementsAre(559, 1023, 2047));
}

TEST(ChooseBucketsTest, theKneeIsWhereNoMoreBucketPays) {
  auto sets = [](std::vector<double> times) {
    std::vector<BucketSet> all;
    for (double us : times) {
      all.push_back({{}, us, 0});
    }
    return all;
  };
  EXPECT_EQ(findKnee(sets({100})), 0u);
  EXPECT_EQ(findKnee(sets({100, 99, 98})), 0u);
  EXPECT_EQ(findKnee(sets({100, 60, 58, 57})), 1u);
  // The third gains little, the fourth much.
  EXPECT_EQ(findKnee(sets({100, 60, 58, 40, 39})), 3u);
}

TEST(ChooseBucketsTest, roundSizesOnALineMayBeBuckets) {
  SizeDistribution sizes = SizeDistribution::uniform(1, 64);
  SizeSamples line = {{0, {1, "a"}}, {31, {32, "a"}}, {63, {64, "a"}}};
  std::vector<size_t> candidates = candidateBuckets(sizes, line);
  EXPECT_TRUE(std::is_sorted(candidates.begin(), candidates.end()));
  EXPECT_THAT(candidates, ::testing::Contains(47)); // 48 rows
  line[31].winner = "b";
  EXPECT_THAT(candidateBuckets(sizes, line), ElementsAre(0, 31, 63));
}

} // namespace
} // namespace minic::sizes
