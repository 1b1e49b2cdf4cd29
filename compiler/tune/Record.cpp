// SPDX-License-Identifier: Apache-2.0
//
// Names of statuses and states, as the database and reports spell them.

#include "compiler/tune/Record.h"

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

#include <cmath>
#include <ctime>
#include <iterator>

namespace minic::tune {

static constexpr const char *rowStatusNames[] = {
    "verified",    "wrong",     "crashed",   "hung",   "build-failed",
    "unavailable", "duplicate", "ruled-out", "skipped"};
static constexpr const char *recordStateNames[] = {"running", "partial",
                                                   "complete"};

template <typename Enum, size_t count>
static std::optional<Enum> parse(const char *const (&names)[count],
                                 const std::string &text) {
  for (size_t i = 0; i < count; ++i) {
    if (text == names[i]) {
      return static_cast<Enum>(i);
    }
  }
  return std::nullopt;
}

const char *toString(RowStatus status) {
  return rowStatusNames[static_cast<size_t>(status)];
}

std::optional<RowStatus> parseRowStatus(const std::string &text) {
  return parse<RowStatus>(rowStatusNames, text);
}

const char *toString(RecordState state) {
  return recordStateNames[static_cast<size_t>(state)];
}

std::optional<RecordState> parseRecordState(const std::string &text) {
  return parse<RecordState>(recordStateNames, text);
}

std::string describeLibraries(const Versions &versions) {
  const std::string &text = versions.libraries;
  bool isCpu = text.empty() || absl::ascii_isdigit(text[0]);
  return isCpu ? absl::StrCat("oneDNN ", text.empty() ? "none" : text) : text;
}

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

void ClockRange::include(double mhz) {
  if (mhz > 0) {
    lowMHz = isKnown() ? std::min(lowMHz, mhz) : mhz;
    highMHz = std::max(highMHz, mhz);
  }
}

std::string describe(const ClockRange &clock) {
  return clock.isKnown() ? absl::StrFormat("; SM clock %.0f to %.0f MHz",
                                           clock.lowMHz, clock.highMHz)
                         : "";
}

/// Closer than this does not matter to who calls the model.
static constexpr double indifference = 0.01;

bool Comparison::separates() const {
  return hasInterval() && (ratioLow > 1 || ratioHigh < 1) &&
         std::abs(ratio - 1) > indifference;
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

std::string describe(const Verdict &verdict) {
  if (verdict.isRefused()) {
    return verdict.reason;
  }
  const char *first = "tuned", *second = "default";
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
  if (!verdict.reason.empty()) {
    absl::StrAppend(&text, " (", verdict.reason, ")");
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

std::string utcNow() {
  std::time_t now = std::time(nullptr);
  std::tm utc = {};
  gmtime_r(&now, &utc);
  char text[32];
  std::strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &utc);
  return text;
}

} // namespace minic::tune
