// SPDX-License-Identifier: Apache-2.0
//
// On the host one memcpy for each index of the dimensions before the last that
// differs; on a GPU a copy in three dimensions, which is all but always one.

#include "runtime/program/CopyBox.h"

#include "absl/container/inlined_vector.h"

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

namespace {

/// Repeats what is inside of it at distances in bytes.
struct Loop {
  uint64_t count, toStep, fromStep;
};

} // namespace

/// `loops` from the innermost on.
static absl::Status enqueueLoops(Execution &execution, std::byte *to,
                                 const std::byte *from, uint64_t rowBytes,
                                 absl::Span<const Loop> loops) {
  if (loops.size() > 2) {
    const Loop &outermost = loops.back();
    absl::Status status;
    for (uint64_t i = 0; i < outermost.count && status.ok(); ++i) {
      status = enqueueLoops(execution, to + i * outermost.toStep,
                            from + i * outermost.fromStep, rowBytes,
                            loops.first(loops.size() - 1));
    }
    return status;
  }
  StridedCopy shape;
  shape.rowBytes = rowBytes;
  if (loops.size() > 0) {
    shape.rows = loops[0].count;
    shape.to.rowStep = loops[0].toStep;
    shape.from.rowStep = loops[0].fromStep;
  }
  if (loops.size() > 1) {
    shape.planes = loops[1].count;
    shape.to.planeStep = loops[1].toStep;
    shape.from.planeStep = loops[1].fromStep;
  }
  return execution.enqueueStridedCopy(to, from, shape);
}

absl::Status enqueueCopyBox(Execution &execution, void *to,
                            absl::Span<const int64_t> toDims, const void *from,
                            absl::Span<const int64_t> fromDims,
                            size_t elementBytes) {
  size_t rank = toDims.size();
  uint64_t toStep = elementBytes, fromStep = elementBytes;
  uint64_t rowBytes = elementBytes;
  absl::InlinedVector<Loop, 8> loops;
  for (size_t i = rank; i-- > 0;) {
    auto count = uint64_t(std::min(toDims[i], fromDims[i]));
    // One that goes on where what is inside of it ends is a part of that.
    uint64_t toEnd =
        loops.empty() ? rowBytes : loops.back().count * loops.back().toStep;
    uint64_t fromEnd =
        loops.empty() ? rowBytes : loops.back().count * loops.back().fromStep;
    if (toStep == toEnd && fromStep == fromEnd) {
      (loops.empty() ? rowBytes : loops.back().count) *= count;
    } else {
      loops.push_back({count, toStep, fromStep});
    }
    toStep *= uint64_t(toDims[i]);
    fromStep *= uint64_t(fromDims[i]);
  }
  return enqueueLoops(execution, static_cast<std::byte *>(to),
                      static_cast<const std::byte *>(from), rowBytes, loops);
}

} // namespace minic::runtime
