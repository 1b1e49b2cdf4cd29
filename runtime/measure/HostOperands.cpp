// SPDX-License-Identifier: Apache-2.0
//
// Made once, for all functions with equal ones.

#include "runtime/measure/HostOperands.h"

#include "runtime/measure/RandomData.h"

#include <algorithm>
#include <cstring>

namespace minic::runtime {

/// What is timed does not depend on it.
static constexpr uint64_t inputSeed = 1;

absl::Status HostOperands::allocate(const std::vector<TensorSpec> &specs,
                                    std::vector<Tensor> &tensors) {
  for (const TensorSpec &spec : specs) {
    if (spec.inPlaceOf) {
      tensors.push_back(inputs_[*spec.inPlaceOf]);
      continue;
    }
    absl::StatusOr<AlignedBuffer> buffer = AlignedBuffer::create(spec.bytes());
    if (!buffer.ok()) {
      return buffer.status();
    }
    if (spec.bytes() != 0) {
      std::memset(buffer->data(), 0, spec.bytes());
    }
    tensors.push_back({buffer->data(), spec.dtype, spec.dims});
    buffers_.push_back(std::move(*buffer));
  }
  return absl::OkStatus();
}

absl::StatusOr<std::shared_ptr<const HostOperands>>
HostOperands::create(const Program &program) {
  auto made = std::make_shared<HostOperands>();
  made->inputSpecs_ = program.inputs();
  made->outputSpecs_ = program.outputs();
  absl::Status status = made->allocate(made->inputSpecs_, made->inputs_);
  if (status.ok()) {
    status = made->allocate(made->outputSpecs_, made->outputs_);
  }
  if (!status.ok()) {
    return status;
  }
  for (size_t i = 0; i < made->inputs_.size(); ++i) {
    fillRandom(made->inputs_[i].data, made->inputSpecs_[i], inputSeed);
  }
  return made;
}

bool HostOperands::fit(const Program &program) const {
  auto areEqual = [](const TensorSpec &a, const TensorSpec &b) {
    return a.name == b.name && a.dtype == b.dtype && a.dims == b.dims &&
           a.alignment == b.alignment && a.inPlaceOf == b.inPlaceOf &&
           a.values == b.values;
  };
  auto match = [&](const std::vector<TensorSpec> &a,
                   const std::vector<TensorSpec> &b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), areEqual);
  };
  return match(inputSpecs_, program.inputs()) &&
         match(outputSpecs_, program.outputs());
}

} // namespace minic::runtime
