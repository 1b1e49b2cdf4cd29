// SPDX-License-Identifier: Apache-2.0
//
// Where a model is timed: few samples, and little unknown between them.

#include "compiler/sizes/SampleSizes.h"

#include <gmock/gmock.h>

#include <cmath>
#include <functional>

namespace minic::sizes {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

using Model = std::function<SizeSample(int64_t size)>;

void take(const SizeDistribution &sizes, const std::vector<size_t> &indices,
          const Model &model, SizeSamples &samples) {
  for (size_t index : indices) {
    samples[index] = model(sizes.sizes()[index]);
  }
}

/// Samples until nothing is in doubt or `most` are taken.
SizeSamples sampleAll(const SizeDistribution &sizes, const Model &model,
                      size_t most) {
  SizeSamples samples;
  take(sizes, firstSizes(sizes, most), model, samples);
  while (samples.size() < most) {
    std::vector<size_t> next =
        nextSizes(sizes, samples, std::min<size_t>(4, most - samples.size()));
    if (next.empty()) {
      break;
    }
    take(sizes, next, model, samples);
  }
  return samples;
}

/// How far off times between samples are, of all time.
double error(const SizeDistribution &sizes, const SizeSamples &samples,
             const Model &model) {
  std::vector<double> times = interpolate(sizes, samples);
  double off = 0, all = 0;
  for (size_t i = 0; i < times.size(); ++i) {
    double right = model(sizes.sizes()[i]).us;
    off += sizes.share(i) * std::abs(times[i] - right);
    all += sizes.share(i) * right;
  }
  return off / all;
}

TEST(SampleSizesTest, beginsWithPowersOfTwo) {
  SizeDistribution all = SizeDistribution::uniform(3, 40);
  EXPECT_THAT(firstSizes(all, 64), ElementsAre(0, 1, 5, 13, 29, 37));
  EXPECT_THAT(firstSizes(all, 4), ElementsAre(0, 13, 29, 37));
  // Of sizes that occur the next smaller one.
  auto some = SizeDistribution::parse("5\n17\n30\n", "f", 1, 40);
  EXPECT_THAT(firstSizes(*some, 64), ElementsAre(0, 2, 3));
}

TEST(SampleSizesTest, roundSizesNearTheMiddle) {
  SizeDistribution sizes = SizeDistribution::uniform(1, 5000);
  EXPECT_EQ(sizes.sizes()[roundestBetween(sizes, 1023, 2047)], 1536);
  EXPECT_EQ(sizes.sizes()[roundestBetween(sizes, 2047, 4999)], 4096);
  EXPECT_EQ(sizes.sizes()[roundestBetween(sizes, 9, 11)], 11);
}

TEST(SampleSizesTest, aLineNeedsNoMoreSamples) {
  SizeDistribution sizes = SizeDistribution::uniform(1, 4096);
  Model line = [](int64_t size) { return SizeSample{0.5 * double(size), "a"}; };
  SizeSamples samples = sampleAll(sizes, line, 64);
  EXPECT_THAT(samples, SizeIs(13));
  EXPECT_LT(error(sizes, samples, line), 1e-9);
}

TEST(SampleSizesTest, findsWhereTheTimeJumps) {
  // One step of 700 rows.
  SizeDistribution sizes = SizeDistribution::uniform(1, 4096);
  Model step = [](int64_t size) {
    return SizeSample{size <= 700 ? 10.0 : 40.0, "a"};
  };
  SizeSamples samples = sampleAll(sizes, step, 64);
  EXPECT_LT(samples.size(), 30u);
  EXPECT_LT(error(sizes, samples, step), 0.01);
  std::vector<int64_t> known;
  for (const auto &[index, sample] : samples) {
    known.push_back(sizes.sizes()[index]);
  }
  EXPECT_THAT(known, Contains(::testing::AllOf(::testing::Ge(660),
                                               ::testing::Le(700))));
}

TEST(SampleSizesTest, followsAStaircase) {
  SizeDistribution sizes = SizeDistribution::uniform(1, 4096);
  Model stairs = [](int64_t size) {
    return SizeSample{5 + 3 * std::ceil(double(size) / 384), "a"};
  };
  SizeSamples samples = sampleAll(sizes, stairs, 64);
  EXPECT_LE(samples.size(), 64u);
  EXPECT_LT(error(sizes, samples, stairs), 0.05);
}

TEST(SampleSizesTest, anotherWinnerIsInDoubt) {
  SizeDistribution sizes = SizeDistribution::uniform(1, 64);
  Model two = [](int64_t size) {
    return size <= 40 ? SizeSample{double(size), "a"}
                      : SizeSample{1.03 * double(size), "b"};
  };
  SizeSamples samples;
  take(sizes, firstSizes(sizes, 64), two, samples);
  EXPECT_THAT(nextSizes(sizes, samples, 1), ElementsAre(47));
  // The same times of one kernel are a line.
  for (auto &[index, sample] : samples) {
    sample.winner = "a";
  }
  EXPECT_THAT(nextSizes(sizes, samples, 8), IsEmpty());
}

TEST(SampleSizesTest, staysWithSizesThatOccur) {
  auto sizes = SizeDistribution::parse("5 9\n100\n120\n300 2\n", "f", 1, 512);
  Model any = [](int64_t size) {
    return SizeSample{std::pow(double(size), 1.5), "a"};
  };
  SizeSamples samples = sampleAll(*sizes, any, 64);
  EXPECT_LE(samples.size(), 5u);
  EXPECT_EQ(samples.begin()->first, 0u);
  EXPECT_EQ(samples.rbegin()->first, 4u);
}

} // namespace
} // namespace minic::sizes
