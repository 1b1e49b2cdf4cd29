// SPDX-License-Identifier: Apache-2.0
//
// Rows say where they were found from, so that nothing else is remembered.

#include "compiler/tune/search/ScheduleDescent.h"

#include <algorithm>
#include <set>

namespace minic::tune {

bool hasHelped(absl::Span<const Row> rows, size_t index,
               const ScheduleDescentPolicy &policy) {
  const Row &row = rows[index];
  for (const Row &origin : rows) {
    if (!row.foundFrom.empty() && origin.candidate.name == row.foundFrom) {
      return row.screenUs > 0 &&
             row.screenUs <= (1 - policy.gain) * origin.screenUs;
    }
  }
  return false;
}

/// Rows whose neighbours are worth a look, fastest first.
static std::vector<size_t> findOrigins(const ScheduleSpace &space,
                                       absl::Span<const Row> rows,
                                       const ScheduleDescentPolicy &policy,
                                       const SelectionPolicy &selection) {
  std::vector<size_t> timed;
  for (size_t i = 0; i < rows.size(); ++i) {
    if (isEligible(rows[i], selection) && rows[i].screenUs > 0) {
      timed.push_back(i);
    }
  }
  std::sort(timed.begin(), timed.end(), [&](size_t a, size_t b) {
    return std::pair(rows[a].screenUs, a) < std::pair(rows[b].screenUs, b);
  });
  std::vector<size_t> origins;
  int starts = 0;
  for (size_t i : timed) {
    bool isNear =
        rows[i].screenUs <= policy.slack * rows[timed.front()].screenUs;
    std::optional<size_t> point = space.find(rows[i].candidate.choice);
    if (!isNear || !point || !space.hasSteps(*point)) {
      continue;
    }
    bool isOffered = rows[i].foundFrom.empty();
    if (isOffered ? starts++ < policy.starts : hasHelped(rows, i, policy)) {
      origins.push_back(i);
    }
  }
  return origins;
}

std::optional<NextSteps> nextSteps(const ScheduleSpace &space,
                                   absl::Span<const Row> rows,
                                   const ScheduleDescentPolicy &policy,
                                   const SelectionPolicy &selection) {
  std::set<std::string> known;
  for (const Row &row : rows) {
    known.insert(row.candidate.choice);
  }
  for (size_t origin : findOrigins(space, rows, policy, selection)) {
    NextSteps next{origin, {}};
    size_t point = *space.find(rows[origin].candidate.choice);
    for (size_t neighbour : space.neighbours(point)) {
      if (!known.count(space.candidate(neighbour).choice)) {
        next.points.push_back(neighbour);
      }
    }
    if (!next.points.empty()) {
      return next;
    }
  }
  return std::nullopt;
}

} // namespace minic::tune
