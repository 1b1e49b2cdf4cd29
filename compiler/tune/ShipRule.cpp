// SPDX-License-Identifier: Apache-2.0
//
// The rule, one function per question.

#include "compiler/tune/ShipRule.h"

namespace minic::tune {

bool isBetter(const Figures &firstOverSecond) {
  const Comparison &decides = firstOverSecond.call.separates()
                                  ? firstOverSecond.call
                                  : firstOverSecond.backToBack;
  return decides.separates() && decides.ratio < 1;
}

WayChoice chooseWay(const Figures &graphOverStream) {
  if (graphOverStream.call.separates()) {
    return {graphOverStream.call.ratio < 1, "one synchronized call decides"};
  }
  if (graphOverStream.backToBack.separates()) {
    return {graphOverStream.backToBack.ratio < 1, "back-to-back time decides"};
  }
  return {false, "neither figure separates them"};
}

bool mayShip(const Figures &overDefault) {
  // One plan on an H200 was up to 1.4 % slower when it was timed for longer, or
  // loaded elsewhere, than in the rounds that had found it faster.
  constexpr double leastGain = 0.02;
  const auto &[backToBack, call] = overDefault;
  return backToBack.isShorter() && backToBack.ratio <= 1 - leastGain &&
         !call.isLonger();
}

} // namespace minic::tune
