// SPDX-License-Identifier: Apache-2.0
//
// The fastest verified row, and the tie rule.

#include "compiler/tune/search/Selection.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace minic::tune {

/// Lower is better; the name makes it total.
static auto tieRank(const Row &row) {
  return std::tie(row.candidate.launches, row.scratchBytes,
                  row.candidate.needsLibrary, row.candidate.name);
}

/// What distinguishes the winner `a` from `b`, for people.
static std::string tieReason(const Row &a, const Row &b) {
  if (a.candidate.launches != b.candidate.launches) {
    return "fewer launches";
  }
  if (a.scratchBytes != b.scratchBytes) {
    return "less scratch";
  }
  if (a.candidate.needsLibrary != b.candidate.needsLibrary) {
    return "no library to load";
  }
  return "first by name";
}

/// Why there is nothing to pick from, with the most frequent reasons.
static std::string describeFailure(absl::Span<const Row> rows,
                                   const SelectionPolicy &policy) {
  if (rows.empty()) {
    return "there is no candidate";
  }
  std::map<std::string, int> counts;
  const Row *example = nullptr;
  for (const Row &row : rows) {
    bool excluded = row.status == RowStatus::Verified;
    ++counts[excluded ? "not deterministic" : toString(row.status)];
    if (!example && !row.reason.empty() && row.status != RowStatus::Skipped &&
        row.status != RowStatus::RuledOut &&
        row.status != RowStatus::Duplicate) {
      example = &row;
    }
  }
  std::string text = absl::StrCat("none of ", rows.size(),
                                  " candidates can be "
                                  "used:");
  for (const auto &[status, count] : counts) {
    absl::StrAppend(&text, &status == &counts.begin()->first ? " " : ", ",
                    count, " ", status);
  }
  if (example) {
    absl::StrAppend(&text, " (", example->candidate.name, ": ", example->reason,
                    ")");
  }
  return text;
}

/// `ratio`: the time of `runnerUp` over the winner's. `minic explain` says the
/// same percentage of the runner-up.
static std::string describe(const Row &winner, const Row *runnerUp,
                            double ratio, bool isTied) {
  if (!runnerUp) {
    return "the only finalist";
  }
  const std::string &name = runnerUp->candidate.name;
  if (isTied) {
    return absl::StrFormat("tied with %s (%.1f%% faster, within the noise): %s",
                           name, 100 * (1 - ratio),
                           tieReason(winner, *runnerUp));
  }
  return absl::StrFormat("%.1f%% faster than %s", 100 * (ratio - 1), name);
}

/// As schedules of gemm_sm90 say it.
static bool movesRegisters(const Row &row) {
  return absl::StrContains(row.candidate.name, " registers=");
}

bool isEligible(const Row &row, const SelectionPolicy &policy) {
  return row.status == RowStatus::Verified &&
         (!policy.deterministic || row.deterministic) &&
         (policy.movesRegisters || !movesRegisters(row));
}

Selection select(absl::Span<const Row> rows, const SelectionPolicy &policy) {
  std::vector<const Row *> finalists, screened, verified;
  for (const Row &row : rows) {
    if (!isEligible(row, policy)) {
      continue;
    }
    verified.push_back(&row);
    if (row.isFinalist()) {
      finalists.push_back(&row);
    }
    if (row.screenUs > 0) {
      screened.push_back(&row);
    }
  }
  auto index = [&](const Row *row) {
    return static_cast<int>(row - rows.data());
  };
  auto best = [](const std::vector<const Row *> &list, auto rank) {
    const Row *best = list.front();
    for (const Row *row : list) {
      if (rank(*row) < rank(*best)) {
        best = row;
      }
    }
    return best;
  };
  if (verified.empty()) {
    return {-1, describeFailure(rows, policy)};
  }
  if (finalists.empty()) {
    auto estimate = [](const Row &row) {
      return std::make_pair(row.candidate.estimateUs, tieRank(row));
    };
    auto screen = [](const Row &row) {
      return std::make_pair(row.screenUs, tieRank(row));
    };
    return screened.empty()
               ? Selection{index(best(verified, estimate)),
                           "best estimate of those verified; none was timed"}
               : Selection{index(best(screened, screen)),
                           "fastest in the screen; the search was cut short"};
  }
  auto time = [](const Row &row) {
    return std::make_pair(row.ratio, tieRank(row));
  };
  const Row *fastest = best(finalists, time);
  // Ratios are to the fastest of all finalists, which the policy may exclude.
  double limit = fastest->ratio * (1 + policy.tieMargin);
  const Row *winner = fastest, *runnerUp = nullptr;
  for (const Row *row : finalists) {
    bool tied = row->ratio <= fastest->ratio * (1 + policy.negligible) ||
                (row->ratio <= limit && row->ratioLow <= fastest->ratio);
    if (tied && tieRank(*row) < tieRank(*winner)) {
      winner = row;
    }
    if (row != fastest && (!runnerUp || time(*row) < time(*runnerUp))) {
      runnerUp = row;
    }
  }
  const Row *other = winner == fastest ? runnerUp : fastest;
  Selection selection{index(winner), ""};
  if (other) {
    selection.runnerUp = index(other);
    selection.runnerUpRatio = other->ratio / winner->ratio;
  }
  selection.reason = describe(*winner, other, selection.runnerUpRatio,
                              /*isTied=*/winner != fastest);
  return selection;
}

int selectGenerated(absl::Span<const Row> rows, const Selection &winner,
                    double limit, const SelectionPolicy &policy) {
  const Row &fastest = rows[winner.row];
  if (!fastest.candidate.needsLibrary || fastest.bestKnownUs() <= 0) {
    return -1;
  }
  int found = -1;
  double best = limit * fastest.bestKnownUs();
  for (int i = 0; i < int(rows.size()); ++i) {
    double us = rows[i].bestKnownUs();
    if (isEligible(rows[i], policy) && !rows[i].candidate.needsLibrary &&
        us > 0 && us <= best) {
      found = i;
      best = us;
    }
  }
  return found;
}

bool isMinicsFault(absl::Span<const Row> rows) {
  auto fails = [](const Row &row) {
    switch (row.status) {
    case RowStatus::Wrong:
    case RowStatus::Crashed:
    case RowStatus::Hung:
    case RowStatus::BuildFailed:
      // What a kernel of the user's or of a plug-in does is their matter.
      return !row.candidate.needsLibrary && row.candidate.label != "user" &&
             row.candidate.label != "plugin";
    default:
      return false;
    }
  };
  return rows.empty() || std::any_of(rows.begin(), rows.end(), fails);
}

} // namespace minic::tune
