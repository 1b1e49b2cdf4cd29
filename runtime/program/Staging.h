// SPDX-License-Identifier: Apache-2.0
//
// Staging: lets host tensors stand for a GPU's, through pinned memory.

#ifndef MINIC_RUNTIME_PROGRAM_STAGING_H
#define MINIC_RUNTIME_PROGRAM_STAGING_H

#include "runtime/device/Device.h"

#include <vector>

namespace minic::runtime {

/// Room for every tensor of a program, on the device and pinned on the host.
/// One run at a time: `copyIn`, the run on the tensors at `device`, `copyOut`.
class Staging {
public:
  /// Slots in the order of `specs`; `memory` outlives it.
  static absl::StatusOr<Staging> create(const DeviceMemory &memory,
                                        const std::vector<TensorSpec> &specs);

  Staging() = default;
  Staging(Staging &&other) noexcept { *this = std::move(other); }
  Staging &operator=(Staging &&other) noexcept;
  ~Staging();

  bool exists() const { return memory_ != nullptr; }
  /// The device memory that the run uses for slot `i`.
  void *device(size_t i) const { return device_ + slots_[i].offset; }
  /// Enqueues the copy of a host tensor; pinned memory is read in place, until
  /// the stream is synchronized.
  absl::Status copyIn(Execution &execution, size_t i, const Tensor &host);
  /// Enqueues the copy of slot `i` to `host`, or towards it: `finish` once the
  /// stream is synchronized.
  absl::Status copyOut(Execution &execution, size_t i, const Tensor &host);
  void finish(size_t i, const Tensor &host) const;

private:
  struct Slot {
    uint64_t offset, bytes;
  };
  const DeviceMemory *memory_ = nullptr;
  std::byte *device_ = nullptr, *pinned_ = nullptr;
  std::vector<Slot> slots_;
};

} // namespace minic::runtime

#endif // MINIC_RUNTIME_PROGRAM_STAGING_H
