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
  size_t last = toDims.size();
  while (last > 0 && toDims[last - 1] == fromDims[last - 1]) {
    elementBytes *= size_t(toDims[--last]);
  }
  if (last == 0) {
    std::memcpy(to, from, elementBytes);
    return;
  }
  // Rows of the last dimension that differs; `rows` of the one before it.
  int64_t count = std::min(toDims[last - 1], fromDims[last - 1]);
  if (last == 1) {
    std::memcpy(to, from, elementBytes * size_t(count));
    return;
  }
  int64_t rows = std::min(toDims[0], fromDims[0]);
  size_t toStep = elementBytes, fromStep = elementBytes;
  for (size_t i = 1; i < last; ++i) {
    toStep *= size_t(toDims[i]);
    fromStep *= size_t(fromDims[i]);
  }
  size_t inner = elementBytes;
  for (int64_t row = 0; row < rows; ++row) {
    copyBox(to + size_t(row) * toStep, toDims.first(last).subspan(1),
            from + size_t(row) * fromStep, fromDims.first(last).subspan(1),
            inner);
  }
}

} // namespace minic::runtime
