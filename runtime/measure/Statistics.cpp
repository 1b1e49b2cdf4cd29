// SPDX-License-Identifier: Apache-2.0
//
// Statistics: quantiles and rank-based confidence intervals.

#include "runtime/measure/Statistics.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

namespace minic::runtime {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double notANumber = std::numeric_limits<double>::quiet_NaN();

/// Two-sided 95 % point of the normal distribution.
constexpr double normal95 = 1.959964;

/// Above this many rounds their pairs (Walsh averages) are too many.
constexpr size_t maxPairedRounds = 1000;

double quantileOfSorted(const std::vector<double> &sorted, double q) {
  if (sorted.empty()) {
    return notANumber;
  }
  double position = q * double(sorted.size() - 1);
  size_t below = size_t(position);
  size_t above = std::min(below + 1, sorted.size() - 1);
  double weight = position - double(below);
  // Not a + w * (b - a): two infinite neighbours must not make a NaN.
  return weight == 0 ? sorted[below]
                     : (1 - weight) * sorted[below] + weight * sorted[above];
}

std::vector<double> sortedCopy(absl::Span<const double> samples) {
  std::vector<double> sorted(samples.begin(), samples.end());
  std::sort(sorted.begin(), sorted.end());
  return sorted;
}

/// The interval [k-th smallest, k-th largest] of `sorted`, where k is `rank`
/// rounded down; unbounded if that is none.
Estimate fromSorted(const std::vector<double> &sorted, double rank) {
  Estimate estimate{quantileOfSorted(sorted, 0.5), -infinity, infinity};
  if (rank >= 1) {
    size_t k = size_t(rank);
    estimate.low = sorted[k - 1];
    estimate.high = sorted[sorted.size() - k];
  }
  return estimate;
}

/// With the fewest samples the interval is [min, max], which covers 96.9 %.
Estimate signTest(const std::vector<double> &sorted) {
  double n = double(sorted.size());
  double rank = n / 2 - normal95 * std::sqrt(n) / 2 + 0.5;
  return fromSorted(sorted, n < leastSamples ? 0 : rank);
}

/// All averages of two of `values`, a value with itself included, sorted.
std::vector<double> walshAverages(const std::vector<double> &values) {
  std::vector<double> averages;
  averages.reserve(values.size() * (values.size() + 1) / 2);
  for (size_t i = 0; i < values.size(); ++i) {
    for (size_t j = 0; j <= i; ++j) {
      averages.push_back((values[i] + values[j]) / 2);
    }
  }
  std::sort(averages.begin(), averages.end());
  return averages;
}

Estimate signedRankTest(const std::vector<double> &values) {
  double n = double(values.size());
  double rank =
      n * (n + 1) / 4 - normal95 * std::sqrt(n * (n + 1) * (2 * n + 1) / 24);
  return fromSorted(walshAverages(values), n < leastSamples ? 0 : rank);
}

} // namespace

double mean(absl::Span<const double> samples) {
  if (samples.empty()) {
    return notANumber;
  }
  return std::accumulate(samples.begin(), samples.end(), 0.0) /
         double(samples.size());
}

double quantile(absl::Span<const double> samples, double q) {
  return quantileOfSorted(sortedCopy(samples), q);
}

double median(absl::Span<const double> samples) {
  return quantile(samples, 0.5);
}

Estimate estimateMedian(absl::Span<const double> samples) {
  return signTest(sortedCopy(samples));
}

Estimate estimateRatio(absl::Span<const double> a, absl::Span<const double> b) {
  std::vector<double> logs;
  for (size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    logs.push_back(std::log(a[i] / b[i]));
  }
  std::sort(logs.begin(), logs.end());
  Estimate estimate =
      logs.size() <= maxPairedRounds ? signedRankTest(logs) : signTest(logs);
  return {std::exp(estimate.value), std::exp(estimate.low),
          std::exp(estimate.high)};
}

} // namespace minic::runtime
