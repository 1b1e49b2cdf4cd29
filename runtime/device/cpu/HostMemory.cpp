// SPDX-License-Identifier: Apache-2.0
//
// The host's allocator, aligned.

#include "runtime/device/cpu/HostMemory.h"

#include "absl/strings/str_cat.h"

#include <cstdlib>
#include <cstring>

namespace minic::runtime {

namespace {

class HostMemory : public DeviceMemory {
public:
  bool isHost() const override { return true; }

  absl::StatusOr<void *> allocate(uint64_t bytes) const override {
    constexpr uint64_t alignment = 256;
    if (bytes == 0) {
      return nullptr;
    }
    void *pointer = nullptr;
    if (bytes > SIZE_MAX - alignment ||
        !(pointer = std::aligned_alloc(alignment, (bytes + alignment - 1) /
                                                      alignment * alignment))) {
      return absl::ResourceExhaustedError(
          absl::StrCat("out of memory: ", bytes, " bytes"));
    }
    return pointer;
  }
  void release(void *pointer) const override { std::free(pointer); }

  absl::Status copyIn(void *device, const void *host,
                      uint64_t bytes) const override {
    return copy(device, host, bytes);
  }
  absl::Status copyOut(void *host, const void *device,
                       uint64_t bytes) const override {
    return copy(host, device, bytes);
  }
  absl::Status fill(void *device, uint8_t value,
                    uint64_t bytes) const override {
    if (bytes != 0) {
      std::memset(device, value, bytes);
    }
    return absl::OkStatus();
  }

private:
  static absl::Status copy(void *to, const void *from, uint64_t bytes) {
    if (bytes != 0) {
      std::memcpy(to, from, bytes);
    }
    return absl::OkStatus();
  }
};

} // namespace

const DeviceMemory &hostMemory() {
  static const HostMemory memory;
  return memory;
}

} // namespace minic::runtime
