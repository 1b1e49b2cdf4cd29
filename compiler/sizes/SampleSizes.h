// SPDX-License-Identifier: Apache-2.0
//
// SampleSizes: at which sizes to time a model, so that little is unknown
// between them.
//
// Background: the time of a model over the size of a dimension is a staircase
// on a slope. It jumps where one more tile or wave begins, and bends where
// another kernel wins. Observation: where the time per row is the same at two
// sizes and so is the winner, a straight line between them is right. Approach:
// begin with powers of two, then halve the interval where the time is most in
// doubt, at the roundest size near its middle, since tiles end at round sizes.

#ifndef MINIC_COMPILER_SIZES_SAMPLESIZES_H
#define MINIC_COMPILER_SIZES_SAMPLESIZES_H

#include "compiler/sizes/SizeDistribution.h"

#include <map>

namespace minic::sizes {

/// What a model was found to take at one size.
struct SizeSample {
  double us = 0;
  /// What wins there, for comparison: another text is another winner.
  std::string winner;
};

/// By index of a size in the distribution.
using SizeSamples = std::map<size_t, SizeSample>;

/// Where to begin: the smallest and the largest size, and powers of two between
/// them, each as the largest size of the distribution that is no larger. At
/// most `most`, at least 2.
std::vector<size_t> firstSizes(const SizeDistribution &sizes, size_t most);

/// Whether a straight line between two neighbours among `samples` is not known
/// to be right: another winner, or times per row that differ by more than 5 %.
bool isInDoubt(const SizeDistribution &sizes, const SizeSample &lower,
               size_t lowerIndex, const SizeSample &upper, size_t upperIndex);

/// Up to `most` sizes more, most doubtful interval first; none where what is in
/// doubt is less than half a percent of the expected time each.
std::vector<size_t> nextSizes(const SizeDistribution &sizes,
                              const SizeSamples &samples, size_t most);

/// The time at each size of the distribution, on straight lines between
/// samples. The smallest and the largest size are sampled.
std::vector<double> interpolate(const SizeDistribution &sizes,
                                const SizeSamples &samples);

/// Of the indices above `lower` and below `upper`, the one whose size is a
/// multiple of the largest power of two among those in the middle half; of
/// several the one nearest to the middle. There is one.
size_t roundestBetween(const SizeDistribution &sizes, size_t lower,
                       size_t upper);

} // namespace minic::sizes

#endif // MINIC_COMPILER_SIZES_SAMPLESIZES_H
