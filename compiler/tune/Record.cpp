// SPDX-License-Identifier: Apache-2.0
//
// Names of statuses and states, as the database and reports spell them.

#include "compiler/tune/Record.h"

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

#include <ctime>
#include <iterator>

namespace minic::tune {

static constexpr const char *rowStatusNames[] = {
    "verified",     "wrong",       "crashed",   "hung",
    "build-failed", "unavailable", "duplicate", "skipped"};
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

bool Verdict::isOfGraph() const { return absl::EndsWith(plan, "#graph"); }

std::string describe(const Verdict &verdict) {
  if (verdict.isRefused()) {
    return verdict.description;
  }
  const char *first = verdict.isOfGraph() ? "graph replay" : "tuned";
  const char *second = verdict.isOfGraph() ? "stream launches" : "default";
  std::string text = absl::StrFormat("%s %.2f us, %s %.2f us, ratio %.3f",
                                     first, verdict.tunedUs, second,
                                     verdict.defaultUs, verdict.ratio);
  if (verdict.hasInterval()) {
    absl::StrAppendFormat(&text, " [%.3f, %.3f]", verdict.ratioLow,
                          verdict.ratioHigh);
  } else {
    absl::StrAppend(&text, " (too few rounds for an interval)");
  }
  return absl::StrCat(text, ": ", verdict.tunedShips ? first : second,
                      verdict.isOfGraph() ? " won" : " ships");
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
