// SPDX-License-Identifier: Apache-2.0
//
// One memcpy for each index of the dimensions before the last that differs.

#include "runtime/program/CopyBox.h"

#include <algorithm>
#include <cstring>

namespace minic::runtime {

void copyBox(std::byte *to, absl::Span<const int64_t> toDims,
             const std::byte *from, absl::Span<const int64_t> fromDims,
             size_t elementBytes) {
  // Dimensions behind the last one that differs are as good as one element.
  size_t rank = toDims.size();
  while (rank > 0 && toDims[rank - 1] == fromDims[rank - 1]) {
    elementBytes *= size_t(toDims[--rank]);
  }
  int64_t rows = rank == 0 ? 1 : std::min(toDims[0], fromDims[0]);
  if (rank <= 1) {
    std::memcpy(to, from, elementBytes * size_t(rows));
    return;
  }
  size_t toStep = elementBytes, fromStep = elementBytes;
  for (size_t i = 1; i < rank; ++i) {
    toStep *= size_t(toDims[i]);
    fromStep *= size_t(fromDims[i]);
  }
  for (int64_t row = 0; row < rows; ++row) {
    copyBox(to + size_t(row) * toStep, toDims.subspan(1, rank - 1),
            from + size_t(row) * fromStep, fromDims.subspan(1, rank - 1),
            elementBytes);
  }
}

} // namespace minic::runtime
