// SPDX-License-Identifier: Apache-2.0
//
// Statistics: what samples of time say. Rank-based throughout, because samples
// on a shared machine have a long tail to one side.

#ifndef MINIC_RUNTIME_MEASURE_STATISTICS_H
#define MINIC_RUNTIME_MEASURE_STATISTICS_H

#include "absl/types/span.h"

namespace minic::runtime {

/// NaN for no samples.
double mean(absl::Span<const double> samples);

/// The q-quantile, 0 <= q <= 1, linear between neighbours (numpy's default).
/// NaN for no samples.
double quantile(absl::Span<const double> samples, double q);
double median(absl::Span<const double> samples);

/// With fewer samples an interval of 95 % is unbounded: of n, all lie on one
/// side of the median with a chance of 2 / 2^n, which is 3 % for 6 and 6 % for
/// 5.
inline constexpr int leastSamples = 6;

/// An estimate and its 95 % confidence interval, which is unbounded where
/// there are fewer than `leastSamples`.
struct Estimate {
  double value = 0;
  double low = 0, high = 0;

  /// Half the interval relative to the value: the ± of a table.
  double halfWidth() const { return (high - low) / (2 * value); }
};

/// The median, with the interval of the sign test.
Estimate estimateMedian(absl::Span<const double> samples);

/// How many times longer `a` takes than `b`, where a[i] and b[i] were measured
/// in the same round, so that drift of the clock cancels. All samples must be
/// positive and the spans equally long. Hodges-Lehmann estimate of the log
/// ratio with the interval of Wilcoxon's signed-rank test; beyond 1000 rounds
/// median and sign test, which need no pairs of rounds.
Estimate estimateRatio(absl::Span<const double> a, absl::Span<const double> b);

} // namespace minic::runtime

#endif // MINIC_RUNTIME_MEASURE_STATISTICS_H
