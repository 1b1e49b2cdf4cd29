// SPDX-License-Identifier: Apache-2.0
//
// What verdicts are about, and their lines for people.

#include "compiler/tune/database/Verdict.h"

#include "compiler/tune/database/Provisional.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

#include <algorithm>
#include <cmath>

namespace minic::tune {

bool Verdict::isOfGraph() const { return absl::EndsWith(plan, kGraphRow); }

bool Verdict::isOfWhenIdle() const {
  return absl::EndsWith(plan, kWhenIdleRow);
}

bool Verdict::isOfGenerated() const {
  return absl::EndsWith(plan, kGeneratedRow);
}

bool Verdict::isOfPointers() const {
  return absl::EndsWith(plan, kPointersRow);
}

bool Verdict::isOfUpdate() const { return absl::EndsWith(plan, kUpdateRow); }

bool Verdict::isOfDescent() const { return absl::EndsWith(plan, kDescentRow); }

/// Closer than this does not matter to who calls the model.
static constexpr double indifference = 0.01;

bool Comparison::separates() const {
  return hasInterval() && (ratioLow > 1 || ratioHigh < 1) &&
         std::abs(ratio - 1) > indifference;
}

bool Comparison::isLongerByAPercent() const {
  return isLonger() && ratio - 1 > indifference;
}

static std::string describe(const Comparison &figure, const char *first,
                            const char *second) {
  std::string text =
      absl::StrFormat("%s %.2f us, %s %.2f us, ratio %.3f", first,
                      figure.tunedUs, second, figure.defaultUs, figure.ratio);
  if (figure.hasInterval()) {
    absl::StrAppendFormat(&text, " [%.3f, %.3f]", figure.ratioLow,
                          figure.ratioHigh);
  } else {
    absl::StrAppend(&text, " (too few rounds for an interval)");
  }
  return text;
}

/// "1 of 9 changes makes the whole model faster: after 95.10 us, before ..."
static std::string describeDescent(const Verdict &verdict) {
  size_t taken =
      std::count_if(verdict.trials.begin(), verdict.trials.end(),
                    [](const Trial &trial) { return trial.isTaken; });
  std::string text =
      absl::StrFormat("%s of %d changes %s the whole model faster",
                      taken ? absl::StrCat(taken) : "none",
                      verdict.trials.size(), taken > 1 ? "make" : "makes");
  if (taken > 0) {
    absl::StrAppend(&text, verdict.tunedShips ? ": " : ", but not together: ",
                    describe(verdict.backToBack, "after", "before"));
    if (verdict.call.isMeasured()) {
      absl::StrAppend(&text, "; one synchronized call: ",
                      describe(verdict.call, "after", "before"));
    }
  }
  return text;
}

std::string describeGain(const Trial &trial) {
  const Comparison &figure =
      trial.backToBack.separates() || !trial.call.separates() ? trial.backToBack
                                                              : trial.call;
  return absl::StrFormat("%.1f%% [%.1f, %.1f] faster", 100 * (1 - figure.ratio),
                         100 * (1 - figure.ratioHigh),
                         100 * (1 - figure.ratioLow));
}

/// Of two contestants, and which one won.
static std::string describeContest(const Verdict &verdict, const char *tuned,
                                   const char *byDefault) {
  const char *first = tuned, *second = byDefault;
  bool isOfWay = verdict.isOfGraph() || verdict.isOfWhenIdle();
  if (isOfWay) {
    first = verdict.isOfGraph() ? "graph replay" : "replay when idle";
    second = "stream launches";
  } else if (verdict.isOfGenerated()) {
    first = "generated kernels alone";
    second = "with libraries";
  } else if (verdict.isOfPointers()) {
    first = "changed pointers staged";
    second = "launched";
  } else if (verdict.isOfUpdate()) {
    first = "graph updated in every run";
    second = "the same pointers";
  }
  std::string text = describe(verdict.backToBack, first, second);
  if (verdict.call.isMeasured()) {
    absl::StrAppend(&text, "; one synchronized call: ",
                    describe(verdict.call, first, second));
  }
  if (isOfWay) {
    // Who won where it lost may be the third way: the reason says it.
    absl::StrAppend(&text, ": ", first, verdict.tunedShips ? " won" : " lost");
  } else if (!verdict.isOfUpdate()) { // a cost, no contest
    bool isOfPlans = !verdict.isOfGenerated() && !verdict.isOfPointers();
    absl::StrAppend(&text, ": ", verdict.tunedShips ? first : second,
                    isOfPlans ? " ships" : " won");
  }
  return text;
}

std::string describe(const Verdict &verdict, const char *tuned,
                     const char *byDefault) {
  if (verdict.isRefused() && !verdict.isOfDescent()) {
    return verdict.reason;
  }
  std::string text = verdict.isOfDescent()
                         ? describeDescent(verdict)
                         : describeContest(verdict, tuned, byDefault);
  if (!verdict.reason.empty()) {
    absl::StrAppend(&text, " (", verdict.reason, ")");
  }
  if (verdict.isProvisional) {
    absl::StrAppend(&text, "; ", describeProvisional(verdict.noise));
  }
  return text + describe(verdict.clock);
}

std::string describeLoss(const Verdict &verdict) {
  if (verdict.tunedShips || verdict.isRefused()) {
    return verdict.tunedShips ? "" : verdict.reason;
  }
  auto percent = [](const Comparison &figure) {
    return 100 * (figure.ratio - 1);
  };
  bool isForWaiting = verdict.call.separates() && verdict.call.ratio < 1;
  return absl::StrFormat(
      "graph capture lost: one synchronized call %+.1f %%, back to back %+.1f "
      "%% against the stream (%s)%s",
      percent(verdict.call), percent(verdict.backToBack), verdict.reason,
      isForWaiting ? "; for callers that wait for each call there is "
                     "--cuda-graphs=on"
                   : "");
}

} // namespace minic::tune
