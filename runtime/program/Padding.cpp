// SPDX-License-Identifier: Apache-2.0
//
// Copies in with the fill behind, copies out.

#include "runtime/program/Padding.h"

#include "runtime/program/CopyBox.h"

#include "absl/strings/str_cat.h"

#include <algorithm>
#include <cstring>

namespace minic::runtime {

Padding::Layout Padding::layOut(const Entry &entry) {
  Layout layout;
  auto add = [&](const TensorSpec &spec, uint64_t size) {
    bool varies =
        std::find(spec.dims.begin(), spec.dims.end(), -1) != spec.dims.end();
    uint64_t step = std::max<uint64_t>(256, spec.alignment);
    layout.alignment = std::max(layout.alignment, step);
    layout.bytes = (layout.bytes + step - 1) / step * step;
    layout.offsets.push_back(layout.bytes);
    layout.bytes += varies ? size : 0;
    layout.rank = std::max(layout.rank, spec.dims.size());
  };
  for (size_t i = 0; i < entry.inputs().size(); ++i) {
    add(entry.inputs()[i], entry.inputBytes(i));
  }
  for (size_t i = 0; i < entry.outputs().size(); ++i) {
    add(entry.outputs()[i], entry.outputBytes(i));
  }
  layout.bytes += layout.alignment;
  return layout;
}

uint64_t Padding::bytes(const Entry &entry) { return layOut(entry).bytes; }

absl::StatusOr<Padding> Padding::create(std::shared_ptr<const Entry> entry,
                                        std::byte *own, bool stagesHost) {
  Padding padding;
  padding.layout_ = layOut(*entry);
  const Program &first = *entry->buckets().front();
  const DeviceMemory &memory = first.executable().memory();
  absl::Status status;
  if (!own) {
    absl::StatusOr<DeviceBuffer> owned =
        DeviceBuffer::create(memory, padding.layout_.bytes);
    status = owned.status();
    if (status.ok()) {
      padding.owned_ = *std::move(owned);
      own = padding.owned_.data();
    }
  }
  padding.own_ = own;
  if (status.ok()) {
    status = memory.fill(own, 0, padding.layout_.bytes);
  }
  if (status.ok() && stagesHost && !memory.isHost()) {
    absl::StatusOr<AlignedBuffer> host =
        AlignedBuffer::create(padding.layout_.bytes);
    status = host.status();
    if (status.ok()) {
      padding.host_ = *std::move(host);
    }
  }
  if (!status.ok()) {
    return absl::Status(status.code(),
                        absl::StrCat("padding: ", status.message()));
  }
  padding.place_ = first.place();
  padding.confirmed_.resize(padding.layout_.offsets.size());
  padding.inputs_.resize(entry->inputs().size());
  padding.outputs_.resize(entry->outputs().size());
  padding.expected_.reserve(padding.layout_.rank);
  padding.entry_ = std::move(entry);
  return padding;
}

std::byte *Padding::room(size_t slot, Residence residence) const {
  std::byte *base = residence == Residence::here ? own_ : host_.data();
  auto address = reinterpret_cast<uintptr_t>(base);
  uint64_t alignment = layout_.alignment;
  return base + (alignment - address % alignment) % alignment +
         layout_.offsets[slot];
}

void Padding::placeInRoom(absl::Span<Tensor> inputs,
                          absl::Span<Tensor> outputs) const {
  auto place = [&](const TensorSpec &spec, size_t slot, Tensor &tensor) {
    if (std::find(spec.dims.begin(), spec.dims.end(), -1) != spec.dims.end()) {
      tensor.data = room(slot, Residence::here);
    }
  };
  for (size_t i = 0; i < inputs.size(); ++i) {
    place(entry_->inputs()[i], i, inputs[i]);
  }
  for (size_t i = 0; i < outputs.size(); ++i) {
    place(entry_->outputs()[i], inputs.size() + i, outputs[i]);
  }
}

absl::Status Padding::accept(const char *role, const TensorSpec &spec,
                             const Tensor &tensor, size_t slot,
                             Tensor &bucket) {
  bucket = tensor;
  if (expected_ == spec.dims ||
      (slot >= inputs_.size() &&
       tensor.dims == absl::MakeConstSpan(spec.dims))) {
    return absl::OkStatus(); // checked by the bucket's own context
  }
  Residence residence = residenceOf(tensor.place, place_);
  if (residence == Residence::elsewhere ||
      (residence == Residence::host && !host_.data())) {
    return describeMisplaced(role, spec, tensor.place, place_);
  }
  if (tensor.dtype != spec.dtype || !tensor.data ||
      tensor.dims != absl::MakeConstSpan(expected_)) {
    TensorSpec shrunk = spec;
    shrunk.dims = expected_;
    return describeMismatch(role, shrunk, tensor);
  }
  if (residence == Residence::here && tensor.data != confirmed_[slot]) {
    const Program &first = *entry_->buckets().front();
    if (absl::Status status = first.executable().checkPointer(tensor.data);
        !status.ok()) {
      return absl::Status(status.code(), absl::StrCat(role, " '", spec.name,
                                                      "': ", status.message()));
    }
    confirmed_[slot] = tensor.data;
  }
  bucket.data = room(slot, residence);
  bucket.dims = spec.dims;
  bucket.place = residence == Residence::here ? place_ : DevicePlace{};
  return absl::OkStatus();
}

static int64_t elementsOf(absl::Span<const int64_t> dims) {
  int64_t elements = 1;
  for (int64_t dim : dims) {
    elements *= dim;
  }
  return elements;
}

template <typename T>
static void fillWith(void *to, uint64_t element, int64_t count) {
  std::fill_n(static_cast<T *>(to), count, T(element));
}

static void fillHost(void *to, uint64_t element, int64_t elementBytes,
                     int64_t count) {
  switch (elementBytes) {
  case 1:
    return fillWith<uint8_t>(to, element, count);
  case 2:
    return fillWith<uint16_t>(to, element, count);
  case 4:
    return fillWith<uint32_t>(to, element, count);
  default:
    return fillWith<uint64_t>(to, element, count);
  }
}

/// Whether the elements of `from` are the first ones of `to`: sizes differ
/// along the outermost axis with more than one element alone.
static bool isPrefix(absl::Span<const int64_t> from,
                     absl::Span<const int64_t> to) {
  size_t axis = 0;
  while (axis < to.size() && to[axis] == 1) {
    ++axis;
  }
  return axis == to.size() || from.subspan(axis + 1) == to.subspan(axis + 1);
}

absl::Status Padding::copyIn(size_t index, const Tensor &from,
                             Execution &execution) {
  const Tensor &to = inputs_[index];
  int64_t bytes = elementBytes(to.dtype);
  // Only what is behind the rows is filled where that is one piece.
  int64_t begin = isPrefix(from.dims, to.dims) ? elementsOf(from.dims) : 0;
  int64_t count = elementsOf(to.dims) - begin;
  std::byte *tail = static_cast<std::byte *>(to.data) + begin * bytes;
  uint64_t element = entry_->fill(index);
  if (to.place.type == 1) {
    fillHost(tail, element, bytes, count);
    copyBox(static_cast<std::byte *>(to.data), to.dims,
            static_cast<const std::byte *>(from.data), from.dims,
            size_t(bytes));
    return absl::OkStatus();
  }
  absl::Status status =
      execution.enqueueFill(tail, element, bytes, uint64_t(count));
  return status.ok() ? enqueueCopyBox(execution, to.data, to.dims, from.data,
                                      from.dims, size_t(bytes))
                     : status;
}

absl::Status Padding::begin(const Entry::Found &found,
                            absl::Span<const Tensor> inputs,
                            absl::Span<const Tensor> outputs,
                            Execution &execution) {
  const Program &bucket = *entry_->buckets()[found.bucket];
  if (inputs.size() != inputs_.size() || outputs.size() != outputs_.size()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "expected ", inputs_.size(), " inputs and ", outputs_.size(),
        " outputs, got ", inputs.size(), " and ", outputs.size()));
  }
  absl::Status status;
  paddedElements_ = 0;
  for (size_t i = 0; i < inputs.size() && status.ok(); ++i) {
    entry_->inputDims(found, i, expected_);
    status = accept("input", bucket.inputs()[i], inputs[i], i, inputs_[i]);
    paddedElements_ += elementsOf(inputs_[i].dims) - elementsOf(expected_);
  }
  for (size_t i = 0; i < outputs.size() && status.ok(); ++i) {
    entry_->outputDims(found, i, expected_);
    status = accept("output", bucket.outputs()[i], outputs[i],
                    inputs.size() + i, outputs_[i]);
  }
  // Nothing was wrong: copy.
  for (size_t i = 0; i < inputs.size() && status.ok(); ++i) {
    if (inputs_[i].data != inputs[i].data) {
      status = copyIn(i, inputs[i], execution);
    }
  }
  return status;
}

absl::Status Padding::finish(absl::Span<const Tensor> outputs,
                             Execution &execution) const {
  absl::Status status;
  for (size_t i = 0; i < outputs.size() && status.ok(); ++i) {
    const Tensor &from = outputs_[i], &to = outputs[i];
    if (from.data == to.data) {
      continue;
    }
    auto bytes = size_t(elementBytes(to.dtype));
    if (from.place.type == 1) {
      copyBox(static_cast<std::byte *>(to.data), to.dims,
              static_cast<const std::byte *>(from.data), from.dims, bytes);
    } else {
      status = enqueueCopyBox(execution, to.data, to.dims, from.data, from.dims,
                              bytes);
    }
  }
  return status;
}

} // namespace minic::runtime
