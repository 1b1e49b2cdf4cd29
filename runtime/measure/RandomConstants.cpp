// SPDX-License-Identifier: Apache-2.0
//
// RandomConstants: fill, then pack.

#include "runtime/measure/RandomConstants.h"

#include "runtime/base/AlignedBuffer.h"
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

} // namespace

ConstantProvider ConstantCache::provider(uint64_t seed) {
  return [this, seed](const format::Constant &constant,
                      void *destination) -> absl::Status {
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
    if (known != filled.end()) {
      std::memcpy(destination, known->second.data(), constant.bytes());
      return absl::OkStatus();
    }
    absl::Status status = fillConstant(seed, constant, destination);
    if (!status.ok() || constant.bytes() == 0 || constant.bytes() > capacity) {
      return status;
    }
    if (used + constant.bytes() > capacity) {
      filled.clear(); // of an earlier problem
      used = 0;
    }
    absl::StatusOr<AlignedBuffer> copy =
        AlignedBuffer::create(constant.bytes());
    if (copy.ok()) {
      std::memcpy(copy->data(), destination, constant.bytes());
      used += constant.bytes();
      filled[key] = *std::move(copy);
    }
    return absl::OkStatus();
  };
}

ConstantProvider randomConstants(uint64_t seed) {
  return [seed](const format::Constant &constant, void *destination) {
    return fillConstant(seed, constant, destination);
  };
}

} // namespace minic::runtime
