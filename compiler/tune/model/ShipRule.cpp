// SPDX-License-Identifier: Apache-2.0
//
// The rule, one function per question.

#include "compiler/tune/model/ShipRule.h"

#include "runtime/format/GraphChecker.h"

#include "absl/strings/str_format.h"

#include <algorithm>
#include <cmath>

namespace minic::tune {

// Five plans of 117 on an H200 that rounds like these had found no slower were
// up to 1.4 % slower when they were timed for longer, or loaded elsewhere.
static constexpr double leastGain = 0.02;

// Beside busy loops a plan that had won by interval was up to 3.5 % slower on
// the quiet machine (256x1024x1024 in f32 on one core of Emerald Rapids).
static constexpr double leastGainDisturbed = 0.05;

static bool isClearlyShorter(const Comparison &figure,
                             double gain = leastGain) {
  return figure.isShorter() && figure.ratio <= 1 - gain;
}

const Comparison &timeWithoutWaits(const Figures &figures) {
  return figures.device.isMeasured() ? figures.device : figures.backToBack;
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

std::string describeDevice(const Figures &figures) {
  const Comparison &device = figures.device;
  return device.isMeasured()
             ? absl::StrFormat(
                   ", on the device %.2f us for %.2f, ratio %.3f [%.3f, %.3f]",
                   device.tunedUs, device.defaultUs, device.ratio,
                   device.ratioLow, device.ratioHigh)
             : "";
}

PointerChoice choosePointers(const Figures &stageOverLaunch,
                             const Figures *updateOverSame) {
  PointerChoice choice;
  choice.stages = isBetter(stageOverLaunch);
  if (!updateOverSame) {
    return choice;
  }
  auto decisive = [&](const Figures &figures) -> const Comparison & {
    return stageOverLaunch.call.separates() ? figures.call : figures.backToBack;
  };
  const Comparison &changed = decisive(stageOverLaunch);
  const Comparison &update = decisive(*updateOverSame);
  choice.updateUs = std::max(update.tunedUs - update.defaultUs, 0.0);
  // Who changes to an update when he has lost as much as it costs loses at most
  // twice what the best of both would have cost, however long the same pointers
  // stay. Where changed pointers lose nothing, or less than rounds can tell,
  // the most is as good as never and still finds what is there to gain.
  double lostUs =
      (choice.stages ? changed.tunedUs : changed.defaultUs) - update.defaultUs;
  constexpr double most = format::mostRunsBeforeUpdate;
  double runs = lostUs > 0 ? std::ceil(choice.updateUs / lostUs) : most;
  choice.runsBeforeUpdate = uint32_t(std::clamp(runs, 1.0, most));
  return choice;
}

/// A team that waits for a member which is not running loses more than one that
/// does not: 64x4096x4096 by 15 % in favour of the slower plan.
static bool sayNothing(const Figures &figures) {
  return figures.isDisturbed && figures.teamsDiffer;
}

bool mayShip(const Figures &overDefault) {
  if (sayNothing(overDefault)) {
    return false;
  }
  return isClearlyShorter(timeWithoutWaits(overDefault),
                          overDefault.isDisturbed ? leastGainDisturbed
                                                  : leastGain) &&
         !overDefault.call.isLongerByAPercent();
}

bool mayReplace(const Figures &overBefore) {
  if (const Comparison &device = overBefore.device; device.isMeasured()) {
    return device.separates() && device.ratio < 1 &&
           !overBefore.call.isLongerByAPercent();
  }
  if (sayNothing(overBefore) || overBefore.backToBack.isLonger() ||
      overBefore.call.isLonger()) {
    return false;
  }
  return overBefore.isDisturbed
             ? isClearlyShorter(overBefore.backToBack, leastGainDisturbed)
             : isBetter(overBefore);
}

bool mayShipWhenIdle(const Figures &overStream) {
  return overStream.call.hasInterval() && isClearlyShorter(overStream.call) &&
         !overStream.backToBack.isLonger();
}

} // namespace minic::tune
