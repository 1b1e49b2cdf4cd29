// SPDX-License-Identifier: Apache-2.0
//
// GuardedTensors: operands for running a kernel that may be wrong.

#ifndef MINIC_RUNTIME_MEASURE_GUARDEDTENSORS_H
#define MINIC_RUNTIME_MEASURE_GUARDEDTENSORS_H

#include "runtime/base/AlignedBuffer.h"
#include "runtime/base/Tensor.h"
#include "runtime/device/DeviceBuffer.h"
#include "runtime/measure/VerifyCache.h"

#include "absl/status/statusor.h"

#include <string>
#include <vector>

namespace minic::runtime {

/// Memory of a device with a guard zone of 64 KiB before and after, or more to
/// align. poison() fills guards and memory alike: a read beyond the end brings
/// poison into the results, a write beyond it is seen by isIntact(). Move-only.
class GuardedBuffer {
public:
  static absl::StatusOr<GuardedBuffer> create(const DeviceMemory &memory,
                                              uint64_t bytes);

  std::byte *data() const;
  uint64_t bytes() const { return bytes_; }
  /// All but the first `spared` bytes of the memory between the guards.
  absl::Status poison(uint8_t pattern, uint64_t spared = 0);
  absl::Status poisonGuards(uint8_t pattern);
  /// `other` holds as many bytes, not 0, of the same memory.
  absl::Status copyFrom(const GuardedBuffer &other, VerifyCache &cache);
  /// Whether both guards still hold the last poison.
  absl::StatusOr<bool> isIntact(VerifyCache &cache) const;
  /// Bytes [begin, end) between the guards as the host sees them: in place, or
  /// copied to `staging`, which `cache` gives and takes back.
  absl::StatusOr<const std::byte *> view(int64_t begin, int64_t end,
                                         AlignedBuffer &staging,
                                         VerifyCache &cache) const;

private:
  const DeviceMemory *device_ = nullptr;
  DeviceBuffer memory_;
  uint64_t bytes_ = 0;
  uint8_t pattern_ = 0;
};

/// What a function runs on.
struct GuardedSpecs {
  absl::Span<const TensorSpec> inputs, outputs;
  uint64_t arenaBytes = 0;
  /// The first bytes of the arena, which the device zeroes and kernels leave
  /// zero.
  uint64_t zeroedBytes = 0;
};

/// Inputs, outputs and arena for one function. An output that updates an input
/// in place is what runs take as that input, too. Move-only.
class GuardedTensors {
public:
  /// Inputs are filled by fillRandom under their names and `seed`. `cache`
  /// outlives the tensors.
  static absl::StatusOr<GuardedTensors> create(const DeviceMemory &memory,
                                               const GuardedSpecs &specs,
                                               uint64_t seed,
                                               VerifyCache &cache);

  absl::Span<const Tensor> inputs() const { return inputs_; }
  absl::Span<const Tensor> outputs() const { return outputs_; }
  void *arena() const { return arena_.data(); }
  uint64_t arenaBytes() const { return arena_.bytes(); }

  /// Fills outputs, arena and all guards with `pattern`; once a device has
  /// zeroed part of the arena (`isZeroed`), that part is spared. Outputs that
  /// update an input hold what it held first.
  absl::Status poison(uint8_t pattern, bool isZeroed);
  /// One line on what was written since the last poison that must not be
  /// (around an input, an output or the arena, or counters left behind), or "".
  absl::StatusOr<std::string> damage() const;
  /// One line on an input that was written since it was made, or "".
  absl::StatusOr<std::string> changedInput() const;
  /// The bytes of output `i`, in a buffer of the cache.
  absl::StatusOr<AlignedBuffer> copyOutput(size_t i) const;

private:
  VerifyCache *cache_ = nullptr;
  std::vector<TensorSpec> inputSpecs_, outputSpecs_;
  std::vector<GuardedBuffer> inputBuffers_, outputBuffers_;
  std::vector<uint64_t> inputHashes_;
  GuardedBuffer arena_;
  uint64_t zeroedBytes_ = 0;
  std::vector<Tensor> inputs_, outputs_;
};

} // namespace minic::runtime

#endif // MINIC_RUNTIME_MEASURE_GUARDEDTENSORS_H
