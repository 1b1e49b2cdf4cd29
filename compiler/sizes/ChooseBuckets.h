// SPDX-License-Identifier: Apache-2.0
//
// ChooseBuckets: the sizes to compile for that make runs fastest, where a run
// takes the next larger one.

#ifndef MINIC_COMPILER_SIZES_CHOOSEBUCKETS_H
#define MINIC_COMPILER_SIZES_CHOOSEBUCKETS_H

#include "compiler/sizes/SampleSizes.h"

namespace minic::sizes {

/// Some buckets, and what a run takes with them on average.
struct BucketSet {
  /// Indices of sizes, ascending; the last one is the largest size.
  std::vector<size_t> buckets;
  double expectedUs = 0;
  /// Of the rows that runs compute, the part that is padding.
  double padding = 0;
};

/// Which sizes may be buckets: all samples, and where a straight line between
/// two is right, round sizes between them an eighth apart, whose times are on
/// it.
std::vector<size_t> candidateBuckets(const SizeDistribution &sizes,
                                     const SizeSamples &samples);

/// The best sets of 1, 2, ... `most` of `candidates`, which end with the
/// largest size; fewer sets where there are fewer candidates. Exact, by dynamic
/// programming: the time of a set is a sum over its buckets, of which each
/// depends on the one before it alone. `times`: by size.
std::vector<BucketSet> chooseBuckets(const SizeDistribution &sizes,
                                     const std::vector<size_t> &candidates,
                                     const std::vector<double> &times,
                                     size_t most);

/// What a run takes on average where each size has a plan of its own.
double idealUs(const SizeDistribution &sizes, const std::vector<double> &times);

/// What one more bucket must gain to be worth it.
inline constexpr double leastGain = 0.05;

/// The index of the smallest set from which on no further bucket makes runs
/// faster by leastGain.
size_t findKnee(const std::vector<BucketSet> &sets);

} // namespace minic::sizes

#endif // MINIC_COMPILER_SIZES_CHOOSEBUCKETS_H
