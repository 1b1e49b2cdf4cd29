// SPDX-License-Identifier: Apache-2.0
//
// Anonymous maps, aligned to huge pages when that pays.

#include "runtime/base/AlignedBuffer.h"

#include "absl/strings/str_cat.h"

#include <sys/mman.h>

#include <cerrno>
#include <cstring>
#include <limits>
#include <utility>

namespace minic::runtime {

static constexpr uint64_t kPage = 4096;
static constexpr uint64_t kHugePage = 2 << 20;

absl::StatusOr<AlignedBuffer> AlignedBuffer::create(uint64_t bytes) {
  AlignedBuffer buffer;
  if (bytes == 0) {
    return buffer;
  }
  if (bytes > std::numeric_limits<int64_t>::max() - 2 * kHugePage) {
    return absl::ResourceExhaustedError(
        absl::StrCat("cannot allocate ", bytes, " bytes"));
  }
  // Over-mapping by one huge page leaves room to align the start to one.
  bool huge = bytes >= kHugePage;
  uint64_t mapped =
      (bytes + kPage - 1) / kPage * kPage + (huge ? kHugePage : 0);
  void *map = mmap(nullptr, mapped, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (map == MAP_FAILED) {
    return absl::ResourceExhaustedError(absl::StrCat(
        "cannot allocate ", bytes, " bytes: ", std::strerror(errno)));
  }
  uintptr_t start = reinterpret_cast<uintptr_t>(map);
  if (huge) {
    start = (start + kHugePage - 1) / kHugePage * kHugePage;
    // Only advice: without it the memory works, with smaller pages.
    madvise(reinterpret_cast<void *>(start), bytes, MADV_HUGEPAGE);
  }
  buffer.mapping_ = map;
  buffer.mappingBytes_ = mapped;
  buffer.data_ = reinterpret_cast<std::byte *>(start);
  buffer.bytes_ = bytes;
  return buffer;
}

AlignedBuffer::~AlignedBuffer() {
  if (mapping_) {
    munmap(mapping_, mappingBytes_);
  }
}

void AlignedBuffer::swap(AlignedBuffer &other) noexcept {
  std::swap(mapping_, other.mapping_);
  std::swap(mappingBytes_, other.mappingBytes_);
  std::swap(data_, other.data_);
  std::swap(bytes_, other.bytes_);
}

} // namespace minic::runtime
