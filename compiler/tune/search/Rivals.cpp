// SPDX-License-Identifier: Apache-2.0
//
// By time alone.

#include "compiler/tune/search/Rivals.h"

#include <algorithm>
#include <set>
#include <utility>

namespace minic::tune {

std::vector<int> selectRivals(absl::Span<const Row> rows, int winner,
                              const SelectionPolicy &policy,
                              const RivalLimits &limits) {
  double most = limits.slower * rows[winner].bestKnownUs();
  std::vector<int> candidates, rivals;
  for (int i = 0; i < int(rows.size()); ++i) {
    double us = rows[i].bestKnownUs();
    if (i != winner && isEligible(rows[i], policy) && us > 0 && us <= most) {
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
