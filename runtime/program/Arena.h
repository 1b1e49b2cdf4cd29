// SPDX-License-Identifier: Apache-2.0
//
// Arena: a Context's memory, its own or the caller's.

#ifndef MINIC_RUNTIME_PROGRAM_ARENA_H
#define MINIC_RUNTIME_PROGRAM_ARENA_H

#include "runtime/base/AlignedBuffer.h"
#include "runtime/program/Context.h"

namespace minic::runtime {

class Arena {
public:
  /// `bytes` where `program` runs, as `options` say; `program` outlives the
  /// arena. InvalidArgument for a caller's arena that is too small, misaligned
  /// or elsewhere.
  static absl::StatusOr<Arena> create(const Program &program, uint64_t bytes,
                                      const ContextOptions &options);

  Arena() = default;
  Arena(Arena &&other) noexcept { *this = std::move(other); }
  Arena &operator=(Arena &&other) noexcept;
  ~Arena();

  std::byte *data() const { return data_; }
  /// The stream that used it last; the pool takes it back in that order.
  void setStream(void *stream) { stream_ = stream; }

private:
  std::byte *data_ = nullptr;
  AlignedBuffer host_;
  const DeviceMemory *owner_ = nullptr; // null: nothing to release
  bool isPooled_ = false;
  void *stream_ = nullptr;
};

} // namespace minic::runtime

#endif // MINIC_RUNTIME_PROGRAM_ARENA_H
