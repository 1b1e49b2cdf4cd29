// SPDX-License-Identifier: Apache-2.0
//
// The rule, one function per question.

#include "compiler/tune/ShipRule.h"

namespace minic::tune {

// Five plans of 117 on an H200 that rounds like these had found no slower were
// up to 1.4 % slower when they were timed for longer, or loaded elsewhere.
static constexpr double leastGain = 0.02;

static bool isClearlyShorter(const Comparison &figure) {
  return figure.isShorter() && figure.ratio <= 1 - leastGain;
}

bool isBetter(const Figures &firstOverSecond) {
  const Comparison &decides = firstOverSecond.call.separates()
                                  ? firstOverSecond.call
                                  : firstOverSecond.backToBack;
  return decides.separates() && decides.ratio < 1;
}

const char *describeDecision(const Figures &figures) {
  return figures.call.separates()         ? "one synchronized call decides"
         : figures.backToBack.separates() ? "back-to-back time decides"
                                          : "neither figure separates them";
}

bool mayShip(const Figures &overDefault) {
  return isClearlyShorter(overDefault.backToBack) &&
         !overDefault.call.isLonger();
}

bool mayShipWhenIdle(const Figures &overStream) {
  return overStream.call.hasInterval() && isClearlyShorter(overStream.call) &&
         !overStream.backToBack.isLonger();
}

} // namespace minic::tune
