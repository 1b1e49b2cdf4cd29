// SPDX-License-Identifier: Apache-2.0
//
// Deciles, and noise in one line.

#include "compiler/tune/database/Noise.h"

#include "runtime/measure/Statistics.h"

#include "absl/strings/str_format.h"

#include <cmath>

namespace minic::tune {

double spreadOf(absl::Span<const double> samples) {
  double low = runtime::quantile(samples, 0.1);
  return low > 0 ? runtime::quantile(samples, 0.9) / low - 1 : 0;
}

std::string describe(const Noise &noise) {
  if (!noise.isKnown()) {
    return "";
  }
  long others = std::lround(noise.others);
  return absl::StrFormat("%d other process%s on %d core%s: samples vary by "
                         "%.0f %%",
                         others, others == 1 ? "" : "es", noise.cores,
                         noise.cores == 1 ? "" : "s", 100 * noise.spread);
}

} // namespace minic::tune
