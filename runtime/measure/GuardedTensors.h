// SPDX-License-Identifier: Apache-2.0
//
// GuardedTensors: operands for running a kernel that may be wrong.

#ifndef MINIC_RUNTIME_MEASURE_GUARDEDTENSORS_H
#define MINIC_RUNTIME_MEASURE_GUARDEDTENSORS_H

#include "runtime/base/AlignedBuffer.h"
#include "runtime/base/Tensor.h"

#include "absl/status/statusor.h"

#include <string>
#include <vector>

namespace minic::runtime {

/// Memory with a guard zone of 64 KiB before and after, or more to align.
/// poison() fills guards and memory alike: a read beyond the end brings poison
/// into the results, a write beyond it is seen by intact(). Move-only.
class GuardedBuffer {
public:
  static absl::StatusOr<GuardedBuffer> create(uint64_t bytes);

  std::byte *data() const;
  uint64_t bytes() const { return bytes_; }
  void poison(uint8_t pattern);
  void poisonGuards(uint8_t pattern);
  /// Whether both guards still hold the last poison.
  bool intact() const;

private:
  AlignedBuffer memory_;
  uint64_t bytes_ = 0;
  uint8_t pattern_ = 0;
};

/// Inputs, outputs and arena for one function. Move-only.
class GuardedTensors {
public:
  /// Inputs are filled by fillRandom under their names and `seed`.
  static absl::StatusOr<GuardedTensors>
  create(absl::Span<const TensorSpec> inputs,
         absl::Span<const TensorSpec> outputs, uint64_t arenaBytes,
         uint64_t seed);

  absl::Span<const Tensor> inputs() const { return inputs_; }
  absl::Span<const Tensor> outputs() const { return outputs_; }
  void *arena() const { return arena_.data(); }
  uint64_t arenaBytes() const { return arena_.bytes(); }

  /// Fills outputs, arena and all guards with `pattern`.
  void poison(uint8_t pattern);
  /// One line on what was written that must not be (an input, or around an
  /// input, an output or the arena), or "".
  std::string damage() const;

private:
  std::vector<TensorSpec> inputSpecs_, outputSpecs_;
  std::vector<GuardedBuffer> inputBuffers_, outputBuffers_;
  std::vector<uint64_t> inputHashes_;
  GuardedBuffer arena_;
  std::vector<Tensor> inputs_, outputs_;
};

} // namespace minic::runtime

#endif // MINIC_RUNTIME_MEASURE_GUARDEDTENSORS_H
