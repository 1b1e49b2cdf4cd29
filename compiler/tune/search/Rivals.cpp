// SPDX-License-Identifier: Apache-2.0
//
// By time alone.

#include "compiler/tune/search/Rivals.h"

#include <algorithm>
#include <set>
#include <utility>

namespace minic::tune {

/// How many times as long as the winner `row` takes alone, at least.
static double slowdown(const Row &row, const Row &winner) {
  if (row.isFinalist() && row.ratioLow > 0 && winner.ratio > 0) {
    return row.ratioLow / winner.ratio;
  }
  return row.bestKnownUs() / winner.bestKnownUs();
}

std::vector<int> selectRivals(absl::Span<const Row> rows, int winner,
                              const SelectionPolicy &policy,
                              const RivalLimits &limits) {
  const Row &best = rows[winner];
  std::vector<int> candidates, rivals;
  for (int i = 0; i < int(rows.size()); ++i) {
    const Row &row = rows[i];
    bool isAlike = row.candidate.sources == best.candidate.sources;
    double most = isAlike ? limits.slowerAlike : limits.slower;
    if (i != winner && isEligible(row, policy) && row.bestKnownUs() > 0 &&
        best.bestKnownUs() > 0 &&
        slowdown(row, best) + limits.leastGain <= most) {
      candidates.push_back(i);
    }
  }
  std::sort(candidates.begin(), candidates.end(), [&](int a, int b) {
    return std::pair(rows[a].bestKnownUs(), a) <
           std::pair(rows[b].bestKnownUs(), b);
  });
  std::set<std::string> known = {rows[winner].candidate.sources};
  for (int i : candidates) {
    bool isOfNew = known.insert(rows[i].candidate.sources).second;
    if (int(rivals.size()) < limits.fastest || isOfNew) {
      rivals.push_back(i);
    }
  }
  return rivals;
}

} // namespace minic::tune
