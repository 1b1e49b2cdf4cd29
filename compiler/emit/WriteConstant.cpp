// SPDX-License-Identifier: Apache-2.0
//
// Packs with the runtime's packer, piece by piece.

#include "compiler/emit/WriteConstant.h"

#include "dialects/graph/ConstantAttrs.h"
#include "dialects/graph/ConstantBytes.h"
#include "dialects/kernel/Kernel.h"
#include "runtime/format/Packer.h"

#include "absl/status/status.h"

#include <algorithm>
#include <numeric>
#include <vector>

using namespace mlir;

namespace minic {

/// What is packed, and written, at once: little enough for the caches.
static constexpr int64_t pieceBytes = 1 << 20;

/// The layout of `type`; without one, that of a dense tensor.
static runtime::BlockedLayout layoutOf(RankedTensorType type) {
  runtime::BlockedLayout blocked;
  if (kernel::LayoutAttr layout = kernel::getLayout(type)) {
    blocked.order = layout.getOrder().vec();
    blocked.blockDims = layout.getBlockDims().vec();
    blocked.blockSizes = layout.getBlockSizes().vec();
    blocked.padded = layout.getPadded().vec();
    return blocked;
  }
  blocked.order.resize(type.getRank());
  std::iota(blocked.order.begin(), blocked.order.end(), int64_t(0));
  blocked.padded = type.getShape().vec();
  return blocked;
}

static absl::Status appendPacked(RankedTensorType type,
                                 const graph::StridedBytes &value,
                                 const format::AppendBytes &append) {
  runtime::BlockedLayout blocked = layoutOf(type);
  int64_t elementBytes = kernel::getElementBytes(type.getElementType());
  int64_t slices = blocked.outermost();
  int64_t sliceBytes =
      slices == 0 ? 0 : blocked.elements() / slices * elementBytes;
  int64_t step = sliceBytes == 0
                     ? std::max<int64_t>(slices, 1)
                     : std::max<int64_t>(pieceBytes / sliceBytes, 1);
  std::vector<std::byte> piece(std::min(step, slices) * sliceBytes);
  for (int64_t first = 0; first < slices; first += step) {
    int64_t last = std::min(first + step, slices);
    runtime::packSlices(
        value.source.bytes().data(),
        absl::MakeConstSpan(type.getShape().data(), type.getRank()),
        absl::MakeConstSpan(value.strides.data(), value.strides.size()),
        elementBytes, blocked, first, last, piece.data());
    absl::Status status =
        append({piece.data(), size_t((last - first) * sliceBytes)});
    if (!status.ok()) {
      return status;
    }
  }
  return absl::OkStatus();
}

/// Whether its values lie in memory one after the other.
static bool isInPieces(graph::ConcatenatedAttr value) {
  return value &&
         llvm::all_of(value.getType().getShape().take_front(value.getAxis()),
                      [](int64_t size) { return size == 1; });
}

absl::Status writeConstant(RankedTensorType type, ElementsAttr value,
                           const format::AppendBytes &append) {
  bool isDense = !kernel::getLayout(type);
  auto concatenated = dyn_cast<graph::ConcatenatedAttr>(value);
  if (isDense && isInPieces(concatenated)) {
    for (ElementsAttr source : concatenated.getSources()) {
      absl::Status status = writeConstant(
          cast<RankedTensorType>(source.getType()), source, append);
      if (!status.ok()) {
        return status;
      }
    }
    return absl::OkStatus();
  }
  FailureOr<graph::StridedBytes> bytes = graph::StridedBytes::get(value);
  if (failed(bytes)) {
    return absl::InternalError("a constant has no bytes");
  }
  if (isDense && bytes->strides == graph::denseStrides(type.getShape())) {
    ArrayRef<char> all = bytes->source.bytes();
    return append(
        {reinterpret_cast<const std::byte *>(all.data()), all.size()});
  }
  return appendPacked(type, *bytes, append);
}

} // namespace minic
