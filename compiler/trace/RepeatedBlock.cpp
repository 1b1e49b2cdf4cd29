// SPDX-License-Identifier: Apache-2.0
//
// For each period: the longest stretch that equals itself a period later.

#include "compiler/trace/RepeatedBlock.h"

#include <optional>
#include <unordered_map>

namespace minic::trace {

static constexpr size_t leastPeriod = 4;

size_t representative(const std::vector<RepeatedBlock> &blocks, size_t index) {
  for (const RepeatedBlock &block : blocks) {
    if (block.contains(index)) {
      return block.begin + (index - block.begin) % block.period;
    }
  }
  return index;
}

/// Of the entries [begin, end).
static std::optional<RepeatedBlock> findLargest(const std::vector<size_t> &ids,
                                                size_t begin, size_t end) {
  std::optional<RepeatedBlock> best;
  size_t bestSaved = 0;
  for (size_t period = leastPeriod; 2 * period <= end - begin; ++period) {
    size_t equal = 0;
    for (size_t i = begin; i + period < end; ++i) {
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

/// Those of [begin, end), in their order.
static void addBlocks(const std::vector<size_t> &ids, size_t begin, size_t end,
                      std::vector<RepeatedBlock> &found) {
  if (std::optional<RepeatedBlock> block = findLargest(ids, begin, end)) {
    addBlocks(ids, begin, block->begin, found);
    found.push_back(*block);
    addBlocks(ids, block->end(), end, found);
  }
}

std::vector<RepeatedBlock>
findRepeatedBlocks(const std::vector<std::string> &signatures) {
  std::unordered_map<std::string, size_t> known;
  std::vector<size_t> ids;
  for (const std::string &signature : signatures) {
    ids.push_back(known.try_emplace(signature, known.size()).first->second);
  }
  std::vector<RepeatedBlock> found;
  addBlocks(ids, 0, ids.size(), found);
  return found;
}

} // namespace minic::trace
