// SPDX-License-Identifier: Apache-2.0
//
// DeviceBuffer: owned memory of a device, not for the run path.

#ifndef MINIC_RUNTIME_DEVICE_DEVICEBUFFER_H
#define MINIC_RUNTIME_DEVICE_DEVICEBUFFER_H

#include "runtime/device/Device.h"

#include <utility>

namespace minic::runtime {

/// The DeviceMemory outlives it. Move-only.
class DeviceBuffer {
public:
  /// 256-byte aligned; no memory for zero bytes (data() is null).
  static absl::StatusOr<DeviceBuffer> create(const DeviceMemory &memory,
                                             uint64_t bytes) {
    absl::StatusOr<void *> data = memory.allocate(bytes);
    if (!data.ok()) {
      return data.status();
    }
    DeviceBuffer buffer;
    buffer.memory_ = &memory;
    buffer.data_ = static_cast<std::byte *>(*data);
    buffer.bytes_ = bytes;
    return buffer;
  }

  DeviceBuffer() = default;
  DeviceBuffer(DeviceBuffer &&other) noexcept { swap(other); }
  DeviceBuffer &operator=(DeviceBuffer &&other) noexcept {
    swap(other);
    return *this;
  }
  ~DeviceBuffer() {
    if (data_) {
      memory_->release(data_);
    }
  }

  std::byte *data() const { return data_; }
  uint64_t bytes() const { return bytes_; }

private:
  void swap(DeviceBuffer &other) noexcept {
    std::swap(memory_, other.memory_);
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
  }

  const DeviceMemory *memory_ = nullptr;
  std::byte *data_ = nullptr;
  uint64_t bytes_ = 0;
};

} // namespace minic::runtime

#endif // MINIC_RUNTIME_DEVICE_DEVICEBUFFER_H
