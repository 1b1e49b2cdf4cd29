// SPDX-License-Identifier: Apache-2.0
//
// Packer: puts a dense row-major tensor into a #kernel.layout.

#ifndef MINIC_RUNTIME_FORMAT_PACKER_H
#define MINIC_RUNTIME_FORMAT_PACKER_H

#include "absl/types/span.h"

#include <cstdint>
#include <vector>

namespace minic::runtime {

/// See #kernel.layout in dialects/kernel/KernelAttrs.td.
struct BlockedLayout {
  std::vector<int64_t> order, blockDims, blockSizes, padded;
  int64_t elements() const;
  /// How many equal slices, one after another, it has in memory.
  int64_t outermost() const;
};

/// Writes `source` (dense, `dims`, elements of `elementBytes` in 1, 2, 4, 8)
/// into `destination` (layout.elements() elements); padding becomes zero.
/// Fast enough to pack a model's weights at compile time: it walks the
/// destination in order and copies runs.
void pack(const void *source, absl::Span<const int64_t> dims,
          int64_t elementBytes, const BlockedLayout &layout, void *destination);

/// The same for a part of it: indices [first, last) of the outermost extent in
/// memory, layout.outermost() in all. `destination` has room for these alone.
/// In `source`, elements that follow each other along a dimension lie its
/// `strides` apart, in elements: a transposed source is packed as it is.
void packSlices(const void *source, absl::Span<const int64_t> dims,
                absl::Span<const int64_t> strides, int64_t elementBytes,
                const BlockedLayout &layout, int64_t first, int64_t last,
                void *destination);

} // namespace minic::runtime

#endif // MINIC_RUNTIME_FORMAT_PACKER_H
