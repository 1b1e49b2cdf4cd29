// SPDX-License-Identifier: Apache-2.0
//
// Copies in with zeros behind, copies out.

#include "runtime/program/Padding.h"

#include "runtime/program/CopyBox.h"
#include "runtime/program/TensorCheck.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

#include <algorithm>
#include <cstring>

namespace minic::runtime {

absl::StatusOr<Padding> Padding::create(std::shared_ptr<const Entry> entry) {
  Padding padding;
  auto makeRoom = [](uint64_t bytes, std::vector<AlignedBuffer> &room) {
    absl::StatusOr<AlignedBuffer> memory = AlignedBuffer::create(bytes);
    if (memory.ok()) {
      room.push_back(std::move(*memory));
    }
    return memory.status();
  };
  absl::Status status;
  for (size_t i = 0; i < entry->inputs().size(); ++i) {
    status.Update(makeRoom(entry->inputBytes(i), padding.inputRoom_));
  }
  for (size_t i = 0; i < entry->outputs().size(); ++i) {
    status.Update(makeRoom(entry->outputBytes(i), padding.outputRoom_));
  }
  if (!status.ok()) {
    return status;
  }
  padding.inputs_.resize(entry->inputs().size());
  padding.outputs_.resize(entry->outputs().size());
  size_t rank = 0;
  for (const auto *specs : {&entry->inputs(), &entry->outputs()}) {
    for (const TensorSpec &spec : *specs) {
      rank = std::max(rank, spec.dims.size());
    }
  }
  padding.expected_.reserve(rank);
  padding.entry_ = std::move(entry);
  return padding;
}

bool Padding::shrink(const Entry::Found &found, size_t index, bool isOutput,
                     const TensorSpec &spec) {
  expected_.assign(spec.dims.begin(), spec.dims.end());
  for (size_t i = 0; i < entry_->dims().size(); ++i) {
    const VaryingDim &dim = entry_->dims()[i];
    if (!dim.isPadded) {
      continue;
    }
    if (isOutput && dim.resultAxes[index] >= 0) {
      expected_[size_t(dim.resultAxes[index])] = found.sizes[i];
    }
    for (const VaryingDim::Place &place : dim.places) {
      if (!isOutput && place.input == index) {
        expected_[place.axis] = found.sizes[i];
      }
    }
  }
  return !std::equal(expected_.begin(), expected_.end(), spec.dims.begin());
}

/// Whether `tensor` is as `spec` says but for its dimensions, `dims`.
static absl::Status check(const char *role, const TensorSpec &spec,
                          const std::vector<int64_t> &dims,
                          const Tensor &tensor) {
  DevicePlace host;
  if (residenceOf(tensor.place, host) != Residence::here) {
    return describeMisplaced(role, spec, tensor.place, host);
  }
  bool isRight = tensor.dtype == spec.dtype && tensor.data &&
                 tensor.dims == absl::MakeConstSpan(dims);
  if (isRight) {
    return absl::OkStatus();
  }
  TensorSpec shrunk = spec;
  shrunk.dims = dims;
  return describeMismatch(role, shrunk, tensor);
}

static int64_t elementsOf(absl::Span<const int64_t> dims) {
  int64_t elements = 1;
  for (int64_t dim : dims) {
    elements *= dim;
  }
  return elements;
}

absl::Status Padding::begin(const Entry::Found &found,
                            absl::Span<const Tensor> inputs,
                            absl::Span<const Tensor> outputs) {
  const Program &bucket = *entry_->buckets()[found.bucket];
  if (inputs.size() != inputs_.size() || outputs.size() != outputs_.size()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "expected ", inputs_.size(), " inputs and ", outputs_.size(),
        " outputs, got ", inputs.size(), " and ", outputs.size()));
  }
  paddedElements_ = 0;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const TensorSpec &spec = bucket.inputs()[i];
    inputs_[i] = inputs[i];
    if (!shrink(found, i, /*isOutput=*/false, spec)) {
      continue; // checked by the bucket's own context
    }
    if (absl::Status status = check("input", spec, expected_, inputs[i]);
        !status.ok()) {
      return status;
    }
    paddedElements_ += spec.elements() - elementsOf(expected_);
    inputs_[i].data = inputRoom_[i].data();
    inputs_[i].dims = spec.dims;
    inputs_[i].place = {};
  }
  for (size_t i = 0; i < outputs.size(); ++i) {
    const TensorSpec &spec = bucket.outputs()[i];
    outputs_[i] = outputs[i];
    if (!shrink(found, i, /*isOutput=*/true, spec)) {
      continue;
    }
    if (absl::Status status = check("output", spec, expected_, outputs[i]);
        !status.ok()) {
      return status;
    }
    outputs_[i].data = outputRoom_[i].data();
    outputs_[i].dims = spec.dims;
    outputs_[i].place = {};
  }
  // Nothing was wrong: copy.
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (inputs_[i].data == inputs[i].data) {
      continue;
    }
    const TensorSpec &spec = bucket.inputs()[i];
    auto *room = static_cast<std::byte *>(inputs_[i].data);
    std::memset(room, 0, size_t(spec.bytes()));
    copyBox(room, spec.dims, static_cast<const std::byte *>(inputs[i].data),
            inputs[i].dims, size_t(elementBytes(spec.dtype)));
  }
  return absl::OkStatus();
}

void Padding::finish(absl::Span<const Tensor> outputs) const {
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (outputs_[i].data != outputs[i].data) {
      copyBox(static_cast<std::byte *>(outputs[i].data), outputs[i].dims,
              static_cast<const std::byte *>(outputs_[i].data),
              outputs_[i].dims, size_t(elementBytes(outputs[i].dtype)));
    }
  }
}

} // namespace minic::runtime
