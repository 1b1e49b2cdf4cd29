// SPDX-License-Identifier: Apache-2.0
//
// Columns as wide as what is in them.

#include "compiler/tune/search/AutotuneTable.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

#include <algorithm>

namespace minic::tune {

/// Rejected rows that are named; the rest is counted.
static constexpr size_t namedRejects = 6;

std::string TimeUnit::format(double microseconds) const {
  return isMilliseconds ? absl::StrFormat("%.4f ms", microseconds / 1000)
                        : absl::StrFormat("%.4f us", microseconds);
}

std::string formatTime(double microseconds) {
  return TimeUnit(microseconds).format(microseconds);
}

namespace {

/// What the speeds of a table's rows are relative to: the fastest of all, by
/// paired ratio in the finals, else by time.
struct Fastest {
  double ratio = 0, us = 0; // 0: no row has one

  explicit Fastest(absl::Span<const Row *const> rows) {
    for (const Row *row : rows) {
      bool isFaster = ratio == 0 || row->ratio < ratio;
      if (row->isFinalist() && row->ratio > 0 && isFaster) {
        ratio = row->ratio;
        us = row->timeUs;
      }
    }
    for (const Row *row : rows) {
      double known = row->bestKnownUs();
      if (ratio == 0 && known > 0 && (us == 0 || known < us)) {
        us = known;
      }
    }
  }

  /// " 74.6%"; a dash for who was faster in the screen than the fastest in the
  /// final: such times cannot be compared so finely.
  std::string speedOf(const Row &row) const {
    double part = row.isFinalist() && row.ratio > 0 ? ratio / row.ratio
                                                    : us / row.bestKnownUs();
    return part > 1 ? "     -" : absl::StrFormat("%5.1f%%", 100 * part);
  }
};

} // namespace

/// Finalists first, by paired ratio; then the others by screen.
static std::vector<const Row *> ranked(const Record &record,
                                       const Row *winner) {
  std::vector<const Row *> rows;
  for (const Row &row : record.rows) {
    if (row.status == RowStatus::Verified) {
      rows.push_back(&row);
    }
  }
  auto rank = [&](const Row *row) {
    double time = row->isFinalist() ? row->ratio : row->bestKnownUs();
    return std::make_tuple(row != winner, !row->isFinalist(), time,
                           row->candidate.name);
  };
  std::sort(rows.begin(), rows.end(),
            [&](const Row *a, const Row *b) { return rank(a) < rank(b); });
  return rows;
}

static std::string describeRejects(const Record &record) {
  std::string text;
  size_t named = 0, others = 0;
  for (const Row &row : record.rows) {
    if (row.status == RowStatus::Verified ||
        row.status == RowStatus::Duplicate ||
        row.status == RowStatus::RuledOut || row.status == RowStatus::Skipped) {
      continue;
    }
    if (named == namedRejects) {
      ++others;
      continue;
    }
    absl::StrAppend(&text, named++ ? ", " : "  rejected: ", row.candidate.name,
                    " (", toString(row.status), row.reason.empty() ? "" : ": ",
                    row.reason, ")");
  }
  if (others > 0) {
    absl::StrAppend(&text, " and ", others, " more");
  }
  return text.empty() ? text : text + "\n";
}

static int count(const Record &record, RowStatus status) {
  return static_cast<int>(
      std::count_if(record.rows.begin(), record.rows.end(),
                    [&](const Row &row) { return row.status == status; }));
}

/// Seconds of the clock on the wall, but for the builders', who work side by
/// side and beside the rest.
static std::string describeSeconds(const TunedProblem &tuned) {
  const Record &record = tuned.record;
  double tested = record.verifySeconds + record.measureSeconds;
  if (!tuned.measured) { // records keep no more
    return absl::StrFormat(
        "tested in %.1f s (verify %.1f, measure %.1f; build %.1f core-s)",
        tested, record.verifySeconds, record.measureSeconds,
        record.buildSeconds);
  }
  return absl::StrFormat(
      "tuned in %.1f s (list %.1f, load %.1f, verify %.1f, measure %.1f, wait "
      "%.1f; build %.1f core-s)",
      secondsSpent(record), record.listSeconds, record.loadSeconds,
      record.verifySeconds, record.measureSeconds, record.waitSeconds,
      record.buildSeconds);
}

std::string formatTable(const TunedProblem &tuned, int maxRows) {
  const Record &record = tuned.record;
  const Row *winner =
      tuned.selection.row < 0 ? nullptr : &record.rows[tuned.selection.row];
  std::string text = absl::StrCat("AUTOTUNE ", record.problem.description,
                                  " on ", record.problem.deviceName,
                                  !tuned.measured  ? " (from the database)"
                                  : tuned.wasStale ? " (its record was stale)"
                                                   : "",
                                  "\n");
  std::vector<const Row *> rows = ranked(record, winner);
  std::vector<std::string> names;
  size_t width = 0;
  int shown = std::min<int>(maxRows, static_cast<int>(rows.size()));
  for (int i = 0; i < shown; ++i) {
    const CandidateSpec &candidate = rows[i]->candidate;
    // Names start with their label already where enumerate made them so.
    bool labelled = candidate.name.rfind(candidate.label, 0) == 0;
    names.push_back(labelled ? candidate.name
                             : candidate.label + " " + candidate.name);
    width = std::max(width, names.back().size());
  }
  Fastest fastest(rows);
  TimeUnit unit(fastest.us);
  for (int i = 0; i < shown; ++i) {
    const Row &row = *rows[i];
    double us = row.bestKnownUs();
    if (us <= 0) {
      absl::StrAppendFormat(&text, "  %-*s  not timed\n", int(width), names[i]);
      continue;
    }
    std::string interval = row.timeError > 0
                               ? absl::StrFormat("±%.1f%%", 100 * row.timeError)
                           : row.isFinalist() ? "few" // rounds, no interval
                                              : "screen";
    absl::StrAppendFormat(&text, "  %-*s  %12s %-6s  %s  error %.1e%s\n",
                          int(width), names[i], unit.format(us), interval,
                          fastest.speedOf(row), row.maxAbsoluteError,
                          row.foundFrom.empty() ? "" : "  descent");
  }
  if (static_cast<int>(rows.size()) > shown) {
    absl::StrAppend(&text, "  and ", rows.size() - shown, " slower ones\n");
  }
  absl::StrAppend(&text, describeRejects(record));
  if (winner) {
    absl::StrAppend(&text, "  chosen: ", winner->candidate.name, ", ",
                    tuned.selection.reason, describeOrigin(*winner), "\n");
  }
  if (record.state == RecordState::Provisional) {
    absl::StrAppend(&text, "  provisional: the finalists were undecided when "
                           "time ended\n");
  }
  if (record.noise.isKnown()) {
    absl::StrAppend(&text, "  ", describe(record.noise), "\n");
  }
  absl::StrAppend(&text, describeSeconds(tuned));
  absl::StrAppendFormat(&text, " over %d candidates", int(record.rows.size()));
  if (record.legal > int64_t(record.rows.size())) {
    absl::StrAppendFormat(&text, " of %d legal ones", int(record.legal));
  }
  if (int64_t found = countFound(record)) {
    absl::StrAppend(&text, ", ", found, " of them found by descent");
  }
  if (int ruledOut = count(record, RowStatus::RuledOut)) {
    absl::StrAppend(&text, ", ", ruledOut, " of them ruled out by estimates");
  }
  if (int duplicates = count(record, RowStatus::Duplicate)) {
    absl::StrAppend(&text, ", ", duplicates, " of them duplicates");
  }
  if (record.state == RecordState::Partial) {
    absl::StrAppendFormat(&text, "; the budget ended after %.0f%% of them",
                          100 * record.coverage);
  }
  return absl::StrCat(text, describe(record.clock), "\n");
}

std::string formatProgress(const TuningProgress &progress) {
  std::string text = absl::StrFormat(
      "tuning %d of %d: %s, %s, %d left, %.0f s", progress.problem,
      progress.problems, progress.description, progress.phase,
      progress.candidatesLeft, progress.elapsedSeconds);
  if (progress.remainingSeconds >= 0) {
    absl::StrAppendFormat(&text, ", about %.0f s more",
                          progress.remainingSeconds);
  }
  return text;
}

} // namespace minic::tune
