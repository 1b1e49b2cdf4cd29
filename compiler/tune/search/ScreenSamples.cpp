// SPDX-License-Identifier: Apache-2.0
//
// Ratios of low quantiles, sitting by sitting.

#include "compiler/tune/search/ScreenSamples.h"

#include "runtime/measure/Statistics.h"

#include <algorithm>

namespace minic::tune {

void SampleSet::add(const SampleSet &more) {
  calm.insert(calm.end(), more.calm.begin(), more.calm.end());
  disturbed.insert(disturbed.end(), more.disturbed.begin(),
                   more.disturbed.end());
}

double SampleSet::low() const {
  if (!calm.empty()) {
    return runtime::quantile(calm, 0.25);
  }
  return disturbed.empty()
             ? 0
             : *std::min_element(disturbed.begin(), disturbed.end());
}

bool ScreenSamples::isDisturbed() const {
  return std::all_of(
      sittings.begin(), sittings.end(),
      [](const Sitting &sitting) { return sitting.own.calm.empty(); });
}

double ScreenSamples::screenUs(double anchorUs) const {
  SampleSet scaled;
  for (const Sitting &sitting : sittings) {
    // A disturbed anchor would make everyone beside it look fast.
    double scale =
        sitting.anchor.calm.empty() ? 1 : anchorUs / sitting.anchor.low();
    for (double us : sitting.own.calm) {
      scaled.add(us * scale, false);
    }
    for (double us : sitting.own.disturbed) {
      scaled.add(us * scale, true);
    }
  }
  return scaled.low();
}

} // namespace minic::tune
