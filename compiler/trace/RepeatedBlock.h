// SPDX-License-Identifier: Apache-2.0
//
// RepeatedBlock: the layers of a model, found in its list of ops, so that a
// picture shows one of them.

#ifndef MINIC_COMPILER_TRACE_REPEATEDBLOCK_H
#define MINIC_COMPILER_TRACE_REPEATEDBLOCK_H

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace minic::trace {

/// `count` times `period` entries from `begin` on.
struct RepeatedBlock {
  size_t begin = 0, period = 0, count = 0;

  size_t end() const { return begin + period * count; }
  /// The place in the first repetition of the entry at `index`; `index` itself
  /// outside of them.
  size_t representative(size_t index) const {
    return index >= begin && index < end() ? begin + (index - begin) % period
                                           : index;
  }
};

/// The block that leaves the fewest entries if it is shown once, at least two
/// repetitions of at least four entries; of several the shortest, then the
/// first. Takes time by the square of the length.
std::optional<RepeatedBlock>
findRepeatedBlock(const std::vector<std::string> &signatures);

} // namespace minic::trace

#endif // MINIC_COMPILER_TRACE_REPEATEDBLOCK_H
