// SPDX-License-Identifier: Apache-2.0
//
// Fills, then copies.

#include "tools/minic-run/PadTensors.h"

#include "runtime/program/CopyBox.h"

#include <cstring>

namespace minic::tools {

absl::StatusOr<ModelTensors>
padTensors(const runtime::Entry &entry, const runtime::Entry::Found &found,
           absl::Span<const runtime::Tensor> inputs) {
  const auto &specs = entry.buckets()[found.bucket]->inputs();
  absl::StatusOr<ModelTensors> padded = allocateTensors(specs);
  for (size_t i = 0; padded.ok() && i < specs.size(); ++i) {
    auto *to = static_cast<std::byte *>(padded->tensors[i].data);
    auto bytes = size_t(runtime::elementBytes(specs[i].dtype));
    uint64_t element = entry.fill(i);
    for (int64_t at = 0; at < specs[i].elements(); ++at) {
      std::memcpy(to + size_t(at) * bytes, &element, bytes);
    }
    if (specs[i].bytes() > 0) {
      runtime::copyBox(to, specs[i].dims,
                       static_cast<const std::byte *>(inputs[i].data),
                       inputs[i].dims, bytes);
    }
  }
  return padded;
}

} // namespace minic::tools
