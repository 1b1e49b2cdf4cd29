// SPDX-License-Identifier: Apache-2.0
//
// Noise: how much a machine disturbed what was timed on it. Plain data.

#ifndef MINIC_COMPILER_TUNE_DATABASE_NOISE_H
#define MINIC_COMPILER_TUNE_DATABASE_NOISE_H

#include "absl/types/span.h"

#include <cstdint>
#include <string>

namespace minic::tune {

struct Noise {
  /// How far the upper decile of samples lies above the lower one, relative to
  /// the lower one, for the median candidate: 0.38 is "vary by 38 %".
  double spread = 0;
  /// Other processes that wanted a core while samples were taken, on average,
  /// and how many cores there are. CPU only.
  double others = 0;
  int64_t cores = 0;

  bool isKnown() const { return cores > 0; }
};

/// How far the upper decile of samples lies above the lower one, relative to
/// the lower one; 0 where that is not positive.
double spreadOf(absl::Span<const double> samples);

/// "2 other processes on 2 cores: samples vary by 38 %"; empty where unknown.
std::string describe(const Noise &noise);

} // namespace minic::tune

#endif // MINIC_COMPILER_TUNE_DATABASE_NOISE_H
