// SPDX-License-Identifier: Apache-2.0
//
// A shortest path over candidates, one edge for each bucket.

#include "compiler/sizes/ChooseBuckets.h"

#include <algorithm>
#include <limits>

namespace minic::sizes {

/// Sizes nearer to each other than this part of the larger one are one bucket
/// as good as the other.
static constexpr double leastDistance = 1.0 / 8;

static void addBetween(const SizeDistribution &sizes, size_t lower,
                       size_t upper, std::vector<size_t> &candidates) {
  double from = double(sizes.sizes()[lower]), to = double(sizes.sizes()[upper]);
  if (upper - lower < 2 || to - from < leastDistance * to) {
    return;
  }
  size_t middle = roundestBetween(sizes, lower, upper);
  addBetween(sizes, lower, middle, candidates);
  candidates.push_back(middle);
  addBetween(sizes, middle, upper, candidates);
}

std::vector<size_t> candidateBuckets(const SizeDistribution &sizes,
                                     const SizeSamples &samples) {
  std::vector<size_t> candidates = {samples.begin()->first};
  for (auto upper = std::next(samples.begin()); upper != samples.end();
       ++upper) {
    auto lower = std::prev(upper);
    if (!isInDoubt(sizes, lower->second, lower->first, upper->second,
                   upper->first)) {
      addBetween(sizes, lower->first, upper->first, candidates);
    }
    candidates.push_back(upper->first);
  }
  return candidates;
}

double idealUs(const SizeDistribution &sizes,
               const std::vector<double> &times) {
  double sum = 0;
  for (size_t i = 0; i < times.size(); ++i) {
    sum += sizes.share(i) * times[i];
  }
  return sum;
}

static double paddingOf(const SizeDistribution &sizes,
                        const std::vector<size_t> &buckets) {
  double computed = 0, before = 0;
  for (size_t bucket : buckets) {
    computed +=
        (sizes.shareUpTo(bucket) - before) * double(sizes.sizes()[bucket]);
    before = sizes.shareUpTo(bucket);
  }
  return 1 - sizes.meanSize() / computed;
}

std::vector<BucketSet> chooseBuckets(const SizeDistribution &sizes,
                                     const std::vector<size_t> &candidates,
                                     const std::vector<double> &times,
                                     size_t most) {
  constexpr double unreached = std::numeric_limits<double>::infinity();
  size_t count = candidates.size();
  most = std::min(most, count);
  // best[k][i]: of runs up to candidate i, with k + 1 buckets of which the last
  // is i; from[k][i]: the bucket before it.
  std::vector<std::vector<double>> best(most,
                                        std::vector<double>(count, unreached));
  std::vector<std::vector<size_t>> from(most, std::vector<size_t>(count));
  for (size_t k = 0; k < most; ++k) {
    for (size_t i = k; i < count; ++i) {
      double us = times[candidates[i]];
      if (k == 0) {
        best[k][i] = us * sizes.shareUpTo(candidates[i]);
        continue;
      }
      for (size_t j = k - 1; j < i; ++j) {
        double sum = best[k - 1][j] +
                     us * sizes.shareBetween(candidates[j], candidates[i]);
        if (sum < best[k][i]) {
          best[k][i] = sum;
          from[k][i] = j;
        }
      }
    }
  }
  std::vector<BucketSet> sets;
  for (size_t k = 0; k < most; ++k) {
    BucketSet &set = sets.emplace_back();
    set.expectedUs = best[k][count - 1];
    size_t at = count - 1;
    for (size_t left = k + 1; left-- > 0;) {
      set.buckets.push_back(candidates[at]);
      at = from[left][at];
    }
    std::reverse(set.buckets.begin(), set.buckets.end());
    set.padding = paddingOf(sizes, set.buckets);
  }
  return sets;
}

size_t findKnee(const std::vector<BucketSet> &sets) {
  size_t knee = sets.size() - 1;
  while (knee > 0 &&
         sets[knee].expectedUs >= (1 - leastGain) * sets[knee - 1].expectedUs) {
    --knee;
  }
  return knee;
}

} // namespace minic::sizes
