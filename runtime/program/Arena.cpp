// SPDX-License-Identifier: Apache-2.0
//
// Three origins: the caller, the device, the device's stream-ordered pool.

#include "runtime/program/Arena.h"

#include "absl/strings/str_cat.h"

#include <utility>

namespace minic::runtime {

static absl::Status checkCallers(const Program &program, uint64_t bytes,
                                 const ContextOptions &options,
                                 uint64_t alignment) {
  if (reinterpret_cast<uintptr_t>(options.arena) % alignment != 0) {
    return absl::InvalidArgumentError(absl::StrCat(
        "arena: expected memory aligned to ", alignment, " bytes"));
  }
  if (options.arenaBytes < bytes) {
    return absl::InvalidArgumentError(absl::StrCat(
        "arena: expected ", bytes, " bytes, got ", options.arenaBytes));
  }
  absl::Status status = program.executable().checkPointer(options.arena);
  return status.ok() ? status
                     : absl::Status(status.code(),
                                    absl::StrCat("arena: ", status.message()));
}

absl::StatusOr<Arena> Arena::create(const Program &program, uint64_t bytes,
                                    const ContextOptions &options) {
  const DeviceMemory &memory = program.executable().memory();
  Arena arena;
  arena.stream_ = options.stream;
  if (options.arena) {
    absl::Status status =
        checkCallers(program, bytes, options, memory.isHost() ? 64 : 256);
    if (!status.ok()) {
      return status;
    }
    arena.data_ = static_cast<std::byte *>(options.arena);
    return arena;
  }
  if (memory.isHost()) {
    // Huge pages, and none that is never touched.
    absl::StatusOr<AlignedBuffer> own = AlignedBuffer::create(bytes);
    if (!own.ok()) {
      return own.status();
    }
    arena.host_ = std::move(*own);
    arena.data_ = arena.host_.data();
    return arena;
  }
  if (bytes == 0) {
    return arena;
  }
  absl::StatusOr<void *> own = options.pooledArena
                                   ? memory.allocateOn(options.stream, bytes)
                                   : memory.allocate(bytes);
  if (!own.ok()) {
    return absl::Status(own.status().code(),
                        absl::StrCat("arena: ", own.status().message()));
  }
  arena.data_ = static_cast<std::byte *>(*own);
  arena.owner_ = &memory;
  arena.isPooled_ = options.pooledArena;
  return arena;
}

Arena &Arena::operator=(Arena &&other) noexcept {
  std::swap(data_, other.data_);
  std::swap(host_, other.host_);
  std::swap(owner_, other.owner_);
  std::swap(isPooled_, other.isPooled_);
  std::swap(stream_, other.stream_);
  return *this;
}

Arena::~Arena() {
  if (owner_ && isPooled_) {
    owner_->releaseOn(stream_, data_);
  } else if (owner_) {
    owner_->release(data_);
  }
}

} // namespace minic::runtime
