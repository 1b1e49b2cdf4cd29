// SPDX-License-Identifier: Apache-2.0
//
// Doubt is the part of the expected time that may lie anywhere between two
// samples.

#include "compiler/sizes/SampleSizes.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <set>

namespace minic::sizes {

/// Times per row that differ by less count as the same: samples vary by a few
/// percent.
static constexpr double sameTimePerRow = 0.05;

/// Of the expected time: what an interval must have in doubt to be looked into.
static constexpr double leastDoubt = 0.005;

std::vector<size_t> firstSizes(const SizeDistribution &sizes, size_t most) {
  std::set<size_t> chosen = {0, sizes.sizes().size() - 1};
  // From the largest down: most of a run's time is there.
  for (int bit = 62; bit >= 0 && chosen.size() < most; --bit) {
    int64_t size = int64_t(1) << bit;
    if (size > sizes.sizes().front() && size < sizes.sizes().back()) {
      chosen.insert(sizes.indexAtMost(size));
    }
  }
  return {chosen.begin(), chosen.end()};
}

bool isInDoubt(const SizeDistribution &sizes, const SizeSample &lower,
               size_t lowerIndex, const SizeSample &upper, size_t upperIndex) {
  double a = lower.us / double(sizes.sizes()[lowerIndex]);
  double b = upper.us / double(sizes.sizes()[upperIndex]);
  return lower.winner != upper.winner ||
         std::abs(a - b) > sameTimePerRow * std::max(a, b);
}

size_t roundestBetween(const SizeDistribution &sizes, size_t lower,
                       size_t upper) {
  int64_t from = sizes.sizes()[lower], to = sizes.sizes()[upper];
  double middle = (double(from) + double(to)) / 2, quarter = (to - from) / 4.0;
  size_t best = 0;
  auto rank = [&](size_t index) {
    int64_t size = sizes.sizes()[index];
    bool isInMiddle = std::abs(double(size) - middle) <= quarter;
    int zeros = isInMiddle ? std::countr_zero(uint64_t(size)) : -1;
    return std::pair(-zeros, std::abs(double(size) - middle));
  };
  for (size_t index = lower + 1; index < upper; ++index) {
    if (best == 0 || rank(index) < rank(best)) {
      best = index;
    }
  }
  return best;
}

std::vector<size_t> nextSizes(const SizeDistribution &sizes,
                              const SizeSamples &samples, size_t most) {
  struct Interval {
    double doubtUs;
    size_t lower, upper;
  };
  std::vector<Interval> intervals;
  double expectedUs =
      samples.begin()->second.us * sizes.shareUpTo(samples.begin()->first);
  for (auto upper = std::next(samples.begin()); upper != samples.end();
       ++upper) {
    auto lower = std::prev(upper);
    double share = sizes.shareBetween(lower->first, upper->first);
    double lowUs = lower->second.us, highUs = upper->second.us;
    expectedUs += share * (lowUs + highUs) / 2;
    // Another winner at the same time leaves little in doubt.
    if (upper->first - lower->first > 1 &&
        isInDoubt(sizes, lower->second, lower->first, upper->second,
                  upper->first)) {
      intervals.push_back(
          {share * std::abs(highUs - lowUs), lower->first, upper->first});
    }
  }
  std::stable_sort(intervals.begin(), intervals.end(),
                   [](const Interval &a, const Interval &b) {
                     return a.doubtUs > b.doubtUs;
                   });
  std::vector<size_t> next;
  for (const Interval &interval : intervals) {
    if (next.size() < most && interval.doubtUs > leastDoubt * expectedUs) {
      next.push_back(roundestBetween(sizes, interval.lower, interval.upper));
    }
  }
  std::sort(next.begin(), next.end());
  return next;
}

std::vector<double> interpolate(const SizeDistribution &sizes,
                                const SizeSamples &samples) {
  std::vector<double> times(sizes.sizes().size());
  auto lower = samples.begin();
  for (size_t i = 0; i < times.size(); ++i) {
    while (std::next(lower) != samples.end() && std::next(lower)->first <= i) {
      ++lower;
    }
    if (lower->first == i || std::next(lower) == samples.end()) {
      times[i] = lower->second.us;
      continue;
    }
    auto upper = std::next(lower);
    double from = double(sizes.sizes()[lower->first]);
    double to = double(sizes.sizes()[upper->first]);
    double part = (double(sizes.sizes()[i]) - from) / (to - from);
    times[i] = lower->second.us + part * (upper->second.us - lower->second.us);
  }
  return times;
}

} // namespace minic::sizes
