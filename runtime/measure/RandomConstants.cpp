// SPDX-License-Identifier: Apache-2.0
//
// RandomConstants: fill, then pack.

#include "runtime/measure/RandomConstants.h"

#include "runtime/base/AlignedBuffer.h"
#include "runtime/device/Device.h"
#include "runtime/format/Packer.h"
#include "runtime/measure/RandomData.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

#include <cstring>

namespace minic::runtime {
namespace {

std::vector<int64_t> copy(const flatbuffers::Vector<int64_t> &values) {
  return {values.begin(), values.end()};
}

absl::Status fillConstant(uint64_t seed, const format::Constant &constant,
                          void *destination) {
  TensorSpec dense{constant.name()->str(), constant.dtype(),
                   copy(*constant.dims())};
  dense.values = toOperandValues(constant.values());
  const format::Layout *layout = constant.layout();
  if (layout == nullptr) {
    fillRandom(destination, dense.dtype, dense.dims, seed, dense.name,
               /*scaleByFanIn=*/true, dense.values);
    return absl::OkStatus();
  }
  absl::StatusOr<AlignedBuffer> source = AlignedBuffer::create(dense.bytes());
  if (!source.ok()) {
    return source.status();
  }
  fillRandom(source->data(), dense.dtype, dense.dims, seed, dense.name,
             /*scaleByFanIn=*/true, dense.values);
  BlockedLayout blocked{copy(*layout->order()), copy(*layout->block_dims()),
                        copy(*layout->block_sizes()), copy(*layout->padded())};
  pack(source->data(), dense.dims, elementBytes(dense.dtype), blocked,
       destination);
  return absl::OkStatus();
}

absl::StatusOr<std::shared_ptr<const std::byte>>
makeConstant(uint64_t seed, const format::Constant &constant,
             const Device &device, int deviceIndex) {
  absl::StatusOr<std::shared_ptr<std::byte>> memory =
      device.allocateConstants(constant.bytes(), deviceIndex);
  if (!memory.ok()) {
    return memory.status();
  }
  if (absl::Status status = fillConstant(seed, constant, memory->get());
      !status.ok()) {
    return status;
  }
  return *memory;
}

absl::StatusOr<std::shared_ptr<const std::byte>>
copyConstant(const std::byte *from, uint64_t bytes, const Device &device,
             int deviceIndex) {
  absl::StatusOr<std::shared_ptr<std::byte>> memory =
      device.allocateConstants(bytes, deviceIndex);
  if (memory.ok() && bytes > 0) {
    std::memcpy(memory->get(), from, bytes);
  }
  return memory;
}

} // namespace

ConstantProvider ConstantCache::provider(uint64_t seed) {
  return [this, seed](const format::Constant &constant, const Device &device,
                      int deviceIndex)
             -> absl::StatusOr<std::shared_ptr<const std::byte>> {
    std::string key = absl::StrCat(seed, " ", constant.name()->str(), " ",
                                   int(constant.dtype()), " ", constant.bytes(),
                                   " ", absl::StrJoin(*constant.dims(), ","));
    if (auto values = toOperandValues(constant.values())) {
      absl::StrAppend(&key, " ", toString(*values));
    }
    if (const format::Layout *layout = constant.layout()) {
      for (const auto *list : {layout->order(), layout->block_dims(),
                               layout->block_sizes(), layout->padded()}) {
        absl::StrAppend(&key, " ", absl::StrJoin(*list, ","));
      }
    }
    auto known = filled.find(key);
    if (known == filled.end()) {
      absl::StatusOr<std::shared_ptr<const std::byte>> made =
          makeConstant(seed, constant, device, deviceIndex);
      if (!made.ok() || constant.bytes() == 0 || constant.bytes() > capacity) {
        return made;
      }
      if (used + constant.bytes() > capacity) {
        filled.clear(); // of an earlier problem
        used = 0;
      }
      used += constant.bytes();
      known = filled.emplace(std::move(key), *std::move(made)).first;
    }
    if (device.copiesConstants() || constant.bytes() <= mostShared) {
      return known->second;
    }
    return copyConstant(known->second.get(), constant.bytes(), device,
                        deviceIndex);
  };
}

ConstantProvider randomConstants(uint64_t seed) {
  return [seed](const format::Constant &constant, const Device &device,
                int deviceIndex) {
    return makeConstant(seed, constant, device, deviceIndex);
  };
}

} // namespace minic::runtime
