// SPDX-License-Identifier: Apache-2.0
//
// AlignedBuffer: owned memory for arenas and packed constants.

#ifndef MINIC_RUNTIME_BASE_ALIGNEDBUFFER_H
#define MINIC_RUNTIME_BASE_ALIGNEDBUFFER_H

#include "absl/status/statusor.h"

#include <cstddef>
#include <cstdint>

namespace minic::runtime {

/// Zeroed memory straight from the kernel: pages cost nothing until touched,
/// and a buffer of 2 MiB or more asks for huge pages. Move-only.
class AlignedBuffer {
public:
  /// At least 64-byte aligned, zeroed. No memory for zero bytes (data() is
  /// null). ResourceExhausted where the kernel refuses.
  static absl::StatusOr<AlignedBuffer> create(uint64_t bytes);

  AlignedBuffer() = default;
  AlignedBuffer(AlignedBuffer &&other) noexcept { swap(other); }
  AlignedBuffer &operator=(AlignedBuffer &&other) noexcept {
    swap(other);
    return *this;
  }
  ~AlignedBuffer();

  std::byte *data() const { return data_; }
  uint64_t bytes() const { return bytes_; }

private:
  void swap(AlignedBuffer &other) noexcept;

  void *mapping_ = nullptr;
  size_t mappingBytes_ = 0;
  std::byte *data_ = nullptr;
  uint64_t bytes_ = 0;
};

} // namespace minic::runtime

#endif // MINIC_RUNTIME_BASE_ALIGNEDBUFFER_H
