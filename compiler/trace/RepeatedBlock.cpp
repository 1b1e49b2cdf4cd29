// SPDX-License-Identifier: Apache-2.0
//
// For each period: the longest stretch that equals itself a period later.

#include "compiler/trace/RepeatedBlock.h"

#include <unordered_map>

namespace minic::trace {

static constexpr size_t leastPeriod = 4;

std::optional<RepeatedBlock>
findRepeatedBlock(const std::vector<std::string> &signatures) {
  std::unordered_map<std::string, size_t> known;
  std::vector<size_t> ids;
  for (const std::string &signature : signatures) {
    ids.push_back(known.try_emplace(signature, known.size()).first->second);
  }
  std::optional<RepeatedBlock> best;
  size_t bestSaved = 0;
  for (size_t period = leastPeriod; 2 * period <= ids.size(); ++period) {
    size_t equal = 0;
    for (size_t i = 0; i + period < ids.size(); ++i) {
      equal = ids[i] == ids[i + period] ? equal + 1 : 0;
      size_t repeats = equal / period; // after the first
      if (repeats * period > bestSaved) {
        bestSaved = repeats * period;
        best = RepeatedBlock{i + 1 - equal, period, repeats + 1};
      }
    }
  }
  return best;
}

} // namespace minic::trace
