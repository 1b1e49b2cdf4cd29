// SPDX-License-Identifier: Apache-2.0
//
// One block on either side, slots at equal offsets.

#include "runtime/program/Staging.h"

#include <cstring>
#include <utility>

namespace minic::runtime {

constexpr int32_t pinnedType = 3; // kDLCUDAHost

absl::StatusOr<Staging> Staging::create(const DeviceMemory &memory,
                                        const std::vector<TensorSpec> &specs) {
  constexpr uint64_t alignment = 256;
  Staging staging;
  staging.memory_ = &memory;
  uint64_t total = 0;
  for (const TensorSpec &spec : specs) {
    uint64_t step = std::max<uint64_t>(alignment, spec.alignment);
    total = (total + step - 1) / step * step;
    staging.slots_.push_back({total, uint64_t(spec.bytes())});
    total += spec.bytes();
  }
  absl::StatusOr<void *> device = memory.allocate(total);
  if (!device.ok()) {
    return device.status();
  }
  staging.device_ = static_cast<std::byte *>(*device);
  absl::StatusOr<void *> pinned = memory.allocatePinned(total);
  if (!pinned.ok()) {
    return pinned.status();
  }
  staging.pinned_ = static_cast<std::byte *>(*pinned);
  return staging;
}

Staging &Staging::operator=(Staging &&other) noexcept {
  std::swap(memory_, other.memory_);
  std::swap(device_, other.device_);
  std::swap(pinned_, other.pinned_);
  std::swap(slots_, other.slots_);
  return *this;
}

Staging::~Staging() {
  if (device_) {
    memory_->release(device_);
  }
  if (pinned_) {
    memory_->releasePinned(pinned_);
  }
}

absl::Status Staging::copyIn(Execution &execution, size_t i,
                             const Tensor &host) {
  const Slot &slot = slots_[i];
  if (slot.bytes == 0) {
    return absl::OkStatus();
  }
  const void *source = host.data;
  if (host.place.type != pinnedType) {
    std::memcpy(pinned_ + slot.offset, host.data, slot.bytes);
    source = pinned_ + slot.offset;
  }
  return execution.enqueueCopy(device(i), source, slot.bytes);
}

absl::Status Staging::copyOut(Execution &execution, size_t i,
                              const Tensor &host) {
  const Slot &slot = slots_[i];
  if (slot.bytes == 0) {
    return absl::OkStatus();
  }
  void *destination =
      host.place.type == pinnedType ? host.data : pinned_ + slot.offset;
  return execution.enqueueCopy(destination, device(i), slot.bytes);
}

void Staging::finish(size_t i, const Tensor &host) const {
  const Slot &slot = slots_[i];
  if (slot.bytes != 0 && host.place.type != pinnedType) {
    std::memcpy(host.data, pinned_ + slot.offset, slot.bytes);
  }
}

} // namespace minic::runtime
