// SPDX-License-Identifier: Apache-2.0
//
// One block, if any.

#include "runtime/measure/SpareBuffer.h"

namespace minic::runtime {

/// More than twice the L2 cache of any GPU.
static constexpr uint64_t mostKept = uint64_t(512) << 20;

absl::StatusOr<SpareBuffer::Block>
SpareBuffer::take(std::shared_ptr<const DeviceMemory> memory, uint64_t bytes) {
  if (bytes > 0 && bytes <= spare_.buffer.bytes()) {
    return std::exchange(spare_, {});
  }
  absl::StatusOr<DeviceBuffer> buffer = DeviceBuffer::create(*memory, bytes);
  if (absl::IsResourceExhausted(buffer.status()) && spare_.memory) {
    (void)std::exchange(spare_, {}); // the buffer before its memory
    buffer = DeviceBuffer::create(*memory, bytes);
  }
  if (!buffer.ok()) {
    return buffer.status();
  }
  return Block{std::move(memory), *std::move(buffer)};
}

void SpareBuffer::leave(Block block) {
  if (block.buffer.bytes() > spare_.buffer.bytes() &&
      block.buffer.bytes() <= mostKept) {
    std::swap(spare_, block);
  }
}

} // namespace minic::runtime
