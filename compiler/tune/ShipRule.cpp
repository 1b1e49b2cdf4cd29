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

bool mayLaunch(const Figures &tunedOverDefault) {
  const auto &[backToBack, call] = tunedOverDefault;
  bool isTie =
      backToBack.hasInterval() && !backToBack.separates() && !call.separates();
  return !isTie && backToBack.ratio <= 1 && !call.isLonger();
}

bool mayReplay(const Figures &graphOverDefault) {
  return graphOverDefault.backToBack.isShorter() &&
         !graphOverDefault.call.isLonger();
}

} // namespace minic::tune
