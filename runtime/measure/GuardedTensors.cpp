// SPDX-License-Identifier: Apache-2.0
//
// GuardedTensors: allocation, poison, and looking for damage.

#include "runtime/measure/GuardedTensors.h"

#include "runtime/measure/RandomData.h"

#include "absl/strings/str_cat.h"

#define XXH_INLINE_ALL
#include "xxhash.h"

#include <algorithm>
#include <cstring>

namespace minic::runtime {
namespace {

constexpr uint64_t guardBytes = 64 << 10;

bool holds(const std::byte *begin, const std::byte *end, uint8_t pattern) {
  return std::all_of(
      begin, end, [=](std::byte byte) { return byte == std::byte(pattern); });
}

uint64_t hashOf(const GuardedBuffer &buffer) {
  return XXH3_64bits(buffer.data(), buffer.bytes());
}

} // namespace

absl::StatusOr<GuardedBuffer> GuardedBuffer::create(uint64_t bytes) {
  GuardedBuffer buffer;
  // The end is not aligned up: a write just beyond the last element is seen.
  absl::StatusOr<AlignedBuffer> memory =
      AlignedBuffer::create(bytes + 2 * guardBytes);
  if (!memory.ok()) {
    return memory.status();
  }
  buffer.memory_ = std::move(*memory);
  buffer.bytes_ = bytes;
  return buffer;
}

std::byte *GuardedBuffer::data() const { return memory_.data() + guardBytes; }

void GuardedBuffer::poison(uint8_t pattern) {
  pattern_ = pattern;
  std::memset(memory_.data(), pattern, memory_.bytes());
}

void GuardedBuffer::poisonGuards(uint8_t pattern) {
  pattern_ = pattern;
  std::memset(memory_.data(), pattern, guardBytes);
  std::memset(data() + bytes_, pattern, guardBytes);
}

bool GuardedBuffer::intact() const {
  return holds(memory_.data(), data(), pattern_) &&
         holds(data() + bytes_, data() + bytes_ + guardBytes, pattern_);
}

absl::StatusOr<GuardedTensors>
GuardedTensors::create(absl::Span<const TensorSpec> inputs,
                       absl::Span<const TensorSpec> outputs,
                       uint64_t arenaBytes, uint64_t seed) {
  GuardedTensors tensors;
  tensors.inputSpecs_.assign(inputs.begin(), inputs.end());
  tensors.outputSpecs_.assign(outputs.begin(), outputs.end());
  auto allocate = [](const std::vector<TensorSpec> &specs,
                     std::vector<GuardedBuffer> &buffers,
                     std::vector<Tensor> &views) {
    for (const TensorSpec &spec : specs) {
      absl::StatusOr<GuardedBuffer> buffer =
          GuardedBuffer::create(spec.bytes());
      if (!buffer.ok()) {
        return buffer.status();
      }
      views.push_back({buffer->data(), spec.dtype, spec.dims});
      buffers.push_back(std::move(*buffer));
    }
    return absl::OkStatus();
  };
  for (absl::Status status :
       {allocate(tensors.inputSpecs_, tensors.inputBuffers_, tensors.inputs_),
        allocate(tensors.outputSpecs_, tensors.outputBuffers_,
                 tensors.outputs_)}) {
    if (!status.ok()) {
      return status;
    }
  }
  absl::StatusOr<GuardedBuffer> arena = GuardedBuffer::create(arenaBytes);
  if (!arena.ok()) {
    return arena.status();
  }
  tensors.arena_ = std::move(*arena);
  for (size_t i = 0; i < inputs.size(); ++i) {
    fillRandom(tensors.inputs_[i].data, inputs[i].dtype, inputs[i].dims, seed,
               inputs[i].name);
    tensors.inputHashes_.push_back(hashOf(tensors.inputBuffers_[i]));
  }
  return tensors;
}

void GuardedTensors::poison(uint8_t pattern) {
  for (GuardedBuffer &buffer : inputBuffers_) {
    buffer.poisonGuards(pattern);
  }
  for (GuardedBuffer &buffer : outputBuffers_) {
    buffer.poison(pattern);
  }
  arena_.poison(pattern);
}

std::string GuardedTensors::damage() const {
  for (size_t i = 0; i < inputs_.size(); ++i) {
    if (!inputBuffers_[i].intact()) {
      return absl::StrCat("memory around input ", inputSpecs_[i].name,
                          " was written");
    }
    if (hashOf(inputBuffers_[i]) != inputHashes_[i]) {
      return absl::StrCat("input ", inputSpecs_[i].name, " was written");
    }
  }
  for (size_t i = 0; i < outputs_.size(); ++i) {
    if (!outputBuffers_[i].intact()) {
      return absl::StrCat("memory around output ", outputSpecs_[i].name,
                          " was written");
    }
  }
  return arena_.intact() ? "" : "memory around the arena was written";
}

} // namespace minic::runtime
