// SPDX-License-Identifier: Apache-2.0
//
// Names of statuses and states, as the database and reports spell them.

#include "compiler/tune/database/Record.h"

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"

#include <algorithm>
#include <ctime>
#include <iterator>

namespace minic::tune {

static constexpr const char *rowStatusNames[] = {
    "verified",    "wrong",     "crashed",   "hung",   "build-failed",
    "unavailable", "duplicate", "ruled-out", "skipped"};
static constexpr const char *recordStateNames[] = {"running", "partial",
                                                   "provisional", "complete"};

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

std::string describe(const Versions &versions) {
  const std::string &libraries = versions.libraries;
  bool isCpu = libraries.empty() || absl::ascii_isdigit(libraries[0]);
  return absl::StrCat(
      versions.sources.empty()
          ? "versions unknown"
          : absl::StrJoin(versions.sources, ", ", absl::PairFormatter(" ")),
      isCpu ? "; oneDNN " : "; ", libraries.empty() ? "none" : libraries);
}

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

int64_t countTried(const Record &record) {
  return std::count_if(record.rows.begin(), record.rows.end(),
                       [](const Row &row) {
                         return row.status != RowStatus::RuledOut &&
                                row.status != RowStatus::Skipped;
                       });
}

bool triesAll(const Record &record) {
  return record.legal > 0 && countTried(record) >= record.legal;
}

int64_t countFound(const Record &record) {
  return std::count_if(record.rows.begin(), record.rows.end(),
                       [](const Row &row) { return !row.foundFrom.empty(); });
}

std::string describeOrigin(const Row &row) {
  return row.foundFrom.empty() ? ""
                               : absl::StrCat("; found from ", row.foundFrom);
}

std::string describeCoverage(const Record &record) {
  return record.legal == 0 ? ""
                           : absl::StrFormat("%d of %d legal schedules tried",
                                             countTried(record), record.legal);
}

double secondsSpent(const Record &record) {
  return record.verifySeconds + record.measureSeconds + record.listSeconds +
         record.loadSeconds + record.waitSeconds;
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
