// SPDX-License-Identifier: Apache-2.0
//
// Inputs by all that decides their values; spare buffers by their size.

#include "runtime/measure/VerifyCache.h"

#include "runtime/measure/RandomData.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

#define XXH_INLINE_ALL
#include "xxhash.h"

#include <algorithm>

namespace minic::runtime {

/// Of inputs, and of spare buffers.
static constexpr uint64_t mostBytes = uint64_t(1) << 30;
/// Results of two runs and what is copied from a device beside them.
static constexpr size_t mostSpares = 8;

static std::string keyOf(const TensorSpec &spec, uint64_t seed) {
  std::string key = absl::StrCat(seed, " ", toString(spec.dtype), " ",
                                 absl::StrJoin(spec.dims, "x"), " ", spec.name);
  if (spec.values) {
    absl::StrAppend(&key, " ", toString(*spec.values));
  }
  return key;
}

absl::StatusOr<const VerifyCache::Input *>
VerifyCache::input(const TensorSpec &spec, uint64_t seed) {
  std::string key = keyOf(spec, seed);
  if (auto found = inputs_.find(key); found != inputs_.end()) {
    return &found->second;
  }
  uint64_t bytes = uint64_t(spec.bytes());
  if (inputBytes_ + bytes > mostBytes) {
    inputs_.clear(); // of other problems, most of them
    inputBytes_ = 0;
  }
  Input input;
  absl::StatusOr<AlignedBuffer> values = AlignedBuffer::create(bytes);
  if (!values.ok()) {
    return values.status();
  }
  input.values = *std::move(values);
  fillRandom(input.values.data(), spec, seed);
  input.hash = XXH3_64bits(input.values.data(), bytes);
  inputBytes_ += bytes;
  return &(inputs_[key] = std::move(input));
}

absl::StatusOr<AlignedBuffer> VerifyCache::take(uint64_t bytes) {
  auto found = std::find_if(
      spares_.begin(), spares_.end(),
      [=](const AlignedBuffer &spare) { return spare.bytes() == bytes; });
  if (found == spares_.end()) {
    return AlignedBuffer::create(bytes);
  }
  AlignedBuffer taken = std::move(*found);
  spares_.erase(found);
  return taken;
}

void VerifyCache::leave(AlignedBuffer buffer) {
  if (buffer.bytes() == 0 || buffer.bytes() > mostBytes) {
    return;
  }
  spares_.push_back(std::move(buffer));
  uint64_t bytes = 0;
  for (const AlignedBuffer &spare : spares_) {
    bytes += spare.bytes();
  }
  while (spares_.size() > mostSpares || bytes > mostBytes) {
    bytes -= spares_.front().bytes();
    spares_.erase(spares_.begin());
  }
}

} // namespace minic::runtime
