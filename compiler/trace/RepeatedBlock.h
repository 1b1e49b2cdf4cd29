// SPDX-License-Identifier: Apache-2.0
//
// RepeatedBlock: the layers of a model, found in its list of ops, so that a
// picture shows one of them.

#ifndef MINIC_COMPILER_TRACE_REPEATEDBLOCK_H
#define MINIC_COMPILER_TRACE_REPEATEDBLOCK_H

#include <cstddef>
#include <string>
#include <vector>

namespace minic::trace {

/// `count` times `period` entries from `begin` on.
struct RepeatedBlock {
  size_t begin = 0, period = 0, count = 0;

  size_t end() const { return begin + period * count; }
  bool contains(size_t index) const { return index >= begin && index < end(); }
};

/// The place in the first repetition of the entry at `index`; `index` itself
/// outside of `blocks`.
size_t representative(const std::vector<RepeatedBlock> &blocks, size_t index);

/// The block that leaves the fewest entries if it is shown once, at least two
/// repetitions of at least four entries; of several the shortest, then the
/// first. Then those before it and behind it in the same way, since an encoder
/// and a decoder have layers of their own. Ascending. Takes time by the square
/// of the length for each block.
std::vector<RepeatedBlock>
findRepeatedBlocks(const std::vector<std::string> &signatures);

} // namespace minic::trace

#endif // MINIC_COMPILER_TRACE_REPEATEDBLOCK_H
