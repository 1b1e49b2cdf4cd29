// SPDX-License-Identifier: Apache-2.0
//
// RandomConstants: fill, then pack.

#include "runtime/measure/RandomConstants.h"

#include "runtime/base/AlignedBuffer.h"
#include "runtime/format/Packer.h"
#include "runtime/measure/RandomData.h"

namespace minic::runtime {
namespace {

std::vector<int64_t> copy(const flatbuffers::Vector<int64_t> &values) {
  return {values.begin(), values.end()};
}

absl::Status fillConstant(uint64_t seed, const format::Constant &constant,
                          void *destination) {
  TensorSpec dense{constant.name()->str(), constant.dtype(),
                   copy(*constant.dims())};
  const format::Layout *layout = constant.layout();
  if (layout == nullptr) {
    fillRandom(destination, dense.dtype, dense.dims, seed, dense.name,
               /*scaleByFanIn=*/true);
    return absl::OkStatus();
  }
  absl::StatusOr<AlignedBuffer> source = AlignedBuffer::create(dense.bytes());
  if (!source.ok()) {
    return source.status();
  }
  fillRandom(source->data(), dense.dtype, dense.dims, seed, dense.name,
             /*scaleByFanIn=*/true);
  BlockedLayout blocked{copy(*layout->order()), copy(*layout->block_dims()),
                        copy(*layout->block_sizes()), copy(*layout->padded())};
  pack(source->data(), dense.dims, elementBytes(dense.dtype), blocked,
       destination);
  return absl::OkStatus();
}

} // namespace

ConstantProvider randomConstants(uint64_t seed) {
  return [seed](const format::Constant &constant, void *destination) {
    return fillConstant(seed, constant, destination);
  };
}

} // namespace minic::runtime
