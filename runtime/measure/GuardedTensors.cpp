// SPDX-License-Identifier: Apache-2.0
//
// GuardedTensors: allocation, poison, and looking for damage.

#include "runtime/measure/GuardedTensors.h"

#include "absl/strings/str_cat.h"

#define XXH_INLINE_ALL
#include "xxhash.h"

#include <algorithm>
#include <cstring>

namespace minic::runtime {
namespace {

constexpr uint64_t guardBytes = 64 << 10;

/// Each byte is the first one and its neighbour's: memcmp is faster than a
/// loop.
bool holds(const std::byte *begin, const std::byte *end, uint8_t pattern) {
  return begin == end ||
         (*begin == std::byte(pattern) &&
          std::memcmp(begin, begin + 1, size_t(end - begin) - 1) == 0);
}

absl::StatusOr<uint64_t> hashOf(const GuardedBuffer &buffer,
                                VerifyCache &cache) {
  AlignedBuffer staging;
  absl::StatusOr<const std::byte *> bytes =
      buffer.view(0, int64_t(buffer.bytes()), staging, cache);
  if (!bytes.ok()) {
    return bytes.status();
  }
  uint64_t hash = XXH3_64bits(*bytes, buffer.bytes());
  cache.leave(std::move(staging));
  return hash;
}

absl::StatusOr<GuardedBuffer> createInput(const DeviceMemory &memory,
                                          const TensorSpec &spec,
                                          const VerifyCache::Input &input) {
  absl::StatusOr<GuardedBuffer> buffer =
      GuardedBuffer::create(memory, spec.bytes());
  if (!buffer.ok()) {
    return buffer.status();
  }
  absl::Status status =
      memory.copyIn(buffer->data(), input.values.data(), spec.bytes());
  if (!status.ok()) {
    return status;
  }
  return buffer;
}

} // namespace

absl::StatusOr<GuardedBuffer> GuardedBuffer::create(const DeviceMemory &memory,
                                                    uint64_t bytes) {
  GuardedBuffer buffer;
  // The end is not aligned up: a write just beyond the last element is seen.
  absl::StatusOr<DeviceBuffer> guarded =
      DeviceBuffer::create(memory, bytes + 2 * guardBytes);
  if (!guarded.ok()) {
    return guarded.status();
  }
  buffer.device_ = &memory;
  buffer.memory_ = std::move(*guarded);
  buffer.bytes_ = bytes;
  return buffer;
}

std::byte *GuardedBuffer::data() const { return memory_.data() + guardBytes; }

absl::Status GuardedBuffer::poison(uint8_t pattern, uint64_t spared) {
  absl::Status status = poisonGuards(pattern);
  status.Update(device_->fill(data() + spared, pattern, bytes_ - spared));
  return status;
}

absl::Status GuardedBuffer::poisonGuards(uint8_t pattern) {
  pattern_ = pattern;
  absl::Status status = device_->fill(memory_.data(), pattern, guardBytes);
  status.Update(device_->fill(data() + bytes_, pattern, guardBytes));
  return status;
}

absl::Status GuardedBuffer::copyFrom(const GuardedBuffer &other,
                                     VerifyCache &cache) {
  AlignedBuffer staging;
  absl::StatusOr<const std::byte *> bytes =
      other.view(0, int64_t(bytes_), staging, cache);
  absl::Status status =
      bytes.ok() ? device_->copyIn(data(), *bytes, bytes_) : bytes.status();
  cache.leave(std::move(staging));
  return status;
}

absl::StatusOr<const std::byte *>
GuardedBuffer::view(int64_t begin, int64_t end, AlignedBuffer &staging,
                    VerifyCache &cache) const {
  if (device_->isHost()) {
    return data() + begin;
  }
  absl::StatusOr<AlignedBuffer> copy = cache.take(uint64_t(end - begin));
  absl::Status status = copy.status();
  if (status.ok()) {
    status = device_->copyOut(copy->data(), data() + begin, end - begin);
  }
  if (!status.ok()) {
    return status;
  }
  staging = std::move(*copy);
  return staging.data();
}

absl::StatusOr<bool> GuardedBuffer::isIntact(VerifyCache &cache) const {
  int64_t end = int64_t(bytes_), guard = int64_t(guardBytes);
  for (int64_t begin : {-guard, end}) {
    AlignedBuffer staging;
    absl::StatusOr<const std::byte *> bytes =
        view(begin, begin + guard, staging, cache);
    if (!bytes.ok()) {
      return bytes.status();
    }
    bool isHeld = holds(*bytes, *bytes + guard, pattern_);
    cache.leave(std::move(staging));
    if (!isHeld) {
      return false;
    }
  }
  return true;
}

absl::StatusOr<GuardedTensors>
GuardedTensors::create(const DeviceMemory &memory, const GuardedSpecs &specs,
                       uint64_t seed, VerifyCache &cache) {
  GuardedTensors tensors;
  tensors.cache_ = &cache;
  tensors.inputSpecs_.assign(specs.inputs.begin(), specs.inputs.end());
  tensors.outputSpecs_.assign(specs.outputs.begin(), specs.outputs.end());
  for (const TensorSpec &spec : tensors.inputSpecs_) {
    absl::StatusOr<const VerifyCache::Input *> input = cache.input(spec, seed);
    if (!input.ok()) {
      return input.status();
    }
    absl::StatusOr<GuardedBuffer> buffer = createInput(memory, spec, **input);
    if (!buffer.ok()) {
      return buffer.status();
    }
    tensors.inputHashes_.push_back((*input)->hash);
    tensors.inputs_.push_back({buffer->data(), spec.dtype, spec.dims});
    tensors.inputBuffers_.push_back(std::move(*buffer));
  }
  for (const TensorSpec &spec : tensors.outputSpecs_) {
    absl::StatusOr<GuardedBuffer> buffer =
        GuardedBuffer::create(memory, spec.bytes());
    if (!buffer.ok()) {
      return buffer.status();
    }
    tensors.outputs_.push_back({buffer->data(), spec.dtype, spec.dims});
    if (spec.inPlaceOf) {
      tensors.inputs_[*spec.inPlaceOf].data = buffer->data();
    }
    tensors.outputBuffers_.push_back(std::move(*buffer));
  }
  absl::StatusOr<GuardedBuffer> arena =
      GuardedBuffer::create(memory, specs.arenaBytes);
  if (!arena.ok()) {
    return arena.status();
  }
  tensors.arena_ = std::move(*arena);
  tensors.zeroedBytes_ = std::min(specs.zeroedBytes, specs.arenaBytes);
  return tensors;
}

absl::Status GuardedTensors::poison(uint8_t pattern, bool isZeroed) {
  absl::Status status;
  for (GuardedBuffer &buffer : inputBuffers_) {
    status.Update(buffer.poisonGuards(pattern));
  }
  for (size_t i = 0; i < outputBuffers_.size(); ++i) {
    std::optional<uint32_t> input = outputSpecs_[i].inPlaceOf;
    status.Update(outputBuffers_[i].poison(pattern));
    if (input && outputBuffers_[i].bytes() != 0) {
      status.Update(outputBuffers_[i].copyFrom(inputBuffers_[*input], *cache_));
    }
  }
  status.Update(arena_.poison(pattern, isZeroed ? zeroedBytes_ : 0));
  return status;
}

absl::StatusOr<std::string> GuardedTensors::changedInput() const {
  for (size_t i = 0; i < inputs_.size(); ++i) {
    absl::StatusOr<uint64_t> hash = hashOf(inputBuffers_[i], *cache_);
    if (!hash.ok()) {
      return hash.status();
    }
    if (*hash != inputHashes_[i]) {
      return absl::StrCat("input ", inputSpecs_[i].name, " was written");
    }
  }
  return "";
}

absl::StatusOr<std::string> GuardedTensors::damage() const {
  for (size_t i = 0; i < inputs_.size(); ++i) {
    absl::StatusOr<bool> isIntact = inputBuffers_[i].isIntact(*cache_);
    if (!isIntact.ok()) {
      return isIntact.status();
    }
    if (!*isIntact) {
      return absl::StrCat("memory around input ", inputSpecs_[i].name,
                          " was written");
    }
  }
  for (size_t i = 0; i < outputs_.size(); ++i) {
    absl::StatusOr<bool> isIntact = outputBuffers_[i].isIntact(*cache_);
    if (!isIntact.ok()) {
      return isIntact.status();
    }
    if (!*isIntact) {
      return absl::StrCat("memory around output ", outputSpecs_[i].name,
                          " was written");
    }
  }
  absl::StatusOr<bool> isIntact = arena_.isIntact(*cache_);
  AlignedBuffer staging;
  absl::StatusOr<const std::byte *> counters =
      arena_.view(0, int64_t(zeroedBytes_), staging, *cache_);
  if (!isIntact.ok() || !counters.ok()) {
    return isIntact.ok() ? counters.status() : isIntact.status();
  }
  if (!*isIntact) {
    return "memory around the arena was written";
  }
  return holds(*counters, *counters + zeroedBytes_, 0)
             ? ""
             : "counters in the arena were not left zero";
}

absl::StatusOr<AlignedBuffer> GuardedTensors::copyOutput(size_t i) const {
  const GuardedBuffer &buffer = outputBuffers_[i];
  AlignedBuffer staging;
  absl::StatusOr<const std::byte *> bytes =
      buffer.view(0, int64_t(buffer.bytes()), staging, *cache_);
  if (!bytes.ok() || staging.bytes() == buffer.bytes()) {
    return bytes.ok() ? absl::StatusOr<AlignedBuffer>(std::move(staging))
                      : bytes.status();
  }
  absl::StatusOr<AlignedBuffer> copy = cache_->take(buffer.bytes());
  if (copy.ok() && buffer.bytes() != 0) {
    std::memcpy(copy->data(), *bytes, buffer.bytes());
  }
  return copy;
}

} // namespace minic::runtime
