// SPDX-License-Identifier: Apache-2.0
//
// PlaceBuffers: gives memory that is in use for a while its place in an arena.

#ifndef MINIC_PASSES_SUPPORT_PLACEBUFFERS_H
#define MINIC_PASSES_SUPPORT_PLACEBUFFERS_H

#include "llvm/ADT/ArrayRef.h"

#include <cstdint>
#include <vector>

namespace minic {

/// Memory that commands `first` to `last`, both included, need.
struct BufferLife {
  int64_t bytes = 0;
  int64_t alignment = 64; // bytes, of its offset
  int64_t first = 0, last = 0;
};

struct PlacedBuffers {
  std::vector<int64_t> offsets; // bytes, one per buffer
  int64_t end = 0;              // of the last one, in bytes; 0 for no buffer
};

/// Offsets at which no two buffers that are live together overlap. Tries
/// several orders, changes the best one, and stops where no buffer is placed
/// above the largest live set. Equal buffers get equal places, on any machine.
/// About n log n for n buffers of which few are live together.
PlacedBuffers placeBuffers(llvm::ArrayRef<BufferLife> buffers);

/// The most bytes that one command needs at once: no arena can be smaller.
int64_t getLiveBytes(llvm::ArrayRef<BufferLife> buffers);

} // namespace minic

#endif // MINIC_PASSES_SUPPORT_PLACEBUFFERS_H
