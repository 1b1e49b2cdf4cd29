// SPDX-License-Identifier: Apache-2.0
//
// Noise in one line.

#include "compiler/tune/Noise.h"

#include "absl/strings/str_format.h"

#include <cmath>

namespace minic::tune {

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
