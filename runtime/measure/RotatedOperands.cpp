// SPDX-License-Identifier: Apache-2.0
//
// One slab per set, filled from one copy on the host.

#include "runtime/measure/RotatedOperands.h"

#include "runtime/base/AlignedBuffer.h"
#include "runtime/measure/RandomData.h"

#include <algorithm>

namespace minic::runtime {
namespace {

/// More sets than this take longer to make than they are worth.
constexpr int64_t mostSets = 64;

/// What is timed does not depend on it.
constexpr uint64_t inputSeed = 1;

uint64_t alignUp(uint64_t bytes) { return (bytes + 255) / 256 * 256; }

bool areSame(absl::Span<const TensorSpec> a, absl::Span<const TensorSpec> b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const TensorSpec &x, const TensorSpec &y) {
                      return x.dtype == y.dtype && x.dims == y.dims &&
                             x.name == y.name && x.inPlaceOf == y.inPlaceOf &&
                             x.values == y.values;
                    });
}

} // namespace

int64_t rotationLength(uint64_t setBytes, uint64_t cacheBytes) {
  if (setBytes == 0 || cacheBytes == 0) {
    return 1;
  }
  uint64_t sets = (2 * cacheBytes + setBytes - 1) / setBytes;
  return std::clamp<int64_t>(int64_t(sets), 2, mostSets);
}

uint64_t RotatedOperands::setBytes(absl::Span<const TensorSpec> inputs,
                                   absl::Span<const TensorSpec> outputs) {
  uint64_t bytes = 0;
  for (absl::Span<const TensorSpec> specs : {inputs, outputs}) {
    for (const TensorSpec &spec : specs) {
      bytes += spec.inPlaceOf ? 0 : alignUp(spec.bytes());
    }
  }
  return bytes;
}

bool RotatedOperands::fit(absl::Span<const TensorSpec> inputs,
                          absl::Span<const TensorSpec> outputs,
                          int64_t sets) const {
  return this->sets() >= sets && areSame(inputs_, inputs) &&
         areSame(outputs_, outputs);
}

absl::StatusOr<std::shared_ptr<const RotatedOperands>>
RotatedOperands::create(std::shared_ptr<const DeviceMemory> memory,
                        absl::Span<const TensorSpec> inputs,
                        absl::Span<const TensorSpec> outputs, int64_t sets) {
  auto operands = std::make_shared<RotatedOperands>();
  operands->memory_ = memory;
  operands->inputs_.assign(inputs.begin(), inputs.end());
  operands->outputs_.assign(outputs.begin(), outputs.end());
  uint64_t bytes = setBytes(inputs, outputs);
  absl::StatusOr<AlignedBuffer> values = AlignedBuffer::create(bytes);
  if (!values.ok()) {
    return values.status();
  }
  std::vector<uint64_t> offsets;
  uint64_t end = 0, inputEnd = 0;
  for (absl::Span<const TensorSpec> specs : {inputs, outputs}) {
    for (const TensorSpec &spec : specs) {
      if (spec.inPlaceOf) {
        offsets.push_back(offsets[*spec.inPlaceOf]);
        continue;
      }
      offsets.push_back(end);
      if (offsets.size() <= inputs.size()) {
        fillRandom(values->data() + end, spec, inputSeed);
        inputEnd = end + alignUp(spec.bytes());
      }
      end += alignUp(spec.bytes());
    }
  }
  for (int64_t set = 0; set < sets; ++set) {
    absl::StatusOr<DeviceBuffer> slab = DeviceBuffer::create(*memory, bytes);
    if (!slab.ok()) {
      return slab.status();
    }
    absl::Status status =
        memory->copyIn(slab->data(), values->data(), inputEnd);
    status.Update(memory->fill(slab->data() + inputEnd, 0, bytes - inputEnd));
    if (!status.ok()) {
      return status;
    }
    std::vector<void *> &callers = operands->callers_.emplace_back();
    for (uint64_t offset : offsets) {
      callers.push_back(slab->data() + offset);
    }
    operands->slabs_.push_back(*std::move(slab));
  }
  return operands;
}

} // namespace minic::runtime
