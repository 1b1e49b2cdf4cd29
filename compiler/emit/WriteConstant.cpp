// SPDX-License-Identifier: Apache-2.0
//
// Packs with the runtime's packer, piece by piece.

#include "compiler/emit/WriteConstant.h"

#include "dialects/graph/ConstantBytes.h"
#include "dialects/kernel/Kernel.h"
#include "runtime/format/Packer.h"

#include "absl/status/status.h"

#include <algorithm>
#include <vector>

using namespace mlir;

namespace minic {

/// What is packed, and written, at once: little enough for the caches.
static constexpr int64_t pieceBytes = 1 << 20;

absl::Status writeConstant(RankedTensorType type, ElementsAttr value,
                           const format::AppendBytes &append) {
  FailureOr<graph::ConstantBytes> source =
      graph::ConstantBytes::getUnaligned(value);
  if (failed(source)) {
    return absl::InternalError("a constant has no bytes");
  }
  ArrayRef<char> bytes = source->bytes();
  auto appendBytes = [&](const char *data, size_t size) {
    return append({reinterpret_cast<const std::byte *>(data), size});
  };
  kernel::LayoutAttr layout = kernel::getLayout(type);
  if (!layout) {
    return appendBytes(bytes.data(), bytes.size());
  }
  runtime::BlockedLayout blocked;
  blocked.order = layout.getOrder().vec();
  blocked.blockDims = layout.getBlockDims().vec();
  blocked.blockSizes = layout.getBlockSizes().vec();
  blocked.padded = layout.getPadded().vec();
  int64_t elementBytes = kernel::getElementBytes(type.getElementType());
  int64_t slices = blocked.outermost();
  int64_t sliceBytes =
      slices == 0 ? 0 : blocked.elements() / slices * elementBytes;
  int64_t step = sliceBytes == 0
                     ? std::max<int64_t>(slices, 1)
                     : std::max<int64_t>(pieceBytes / sliceBytes, 1);
  std::vector<char> piece(std::min(step, slices) * sliceBytes);
  for (int64_t first = 0; first < slices; first += step) {
    int64_t last = std::min(first + step, slices);
    runtime::packSlices(
        bytes.data(),
        absl::MakeConstSpan(type.getShape().data(), type.getRank()),
        elementBytes, blocked, first, last, piece.data());
    absl::Status status =
        appendBytes(piece.data(), (last - first) * sliceBytes);
    if (!status.ok()) {
      return status;
    }
  }
  return absl::OkStatus();
}

} // namespace minic
