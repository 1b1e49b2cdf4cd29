// SPDX-License-Identifier: Apache-2.0
//
// One allocation per tensor.

#include "tools/common/DeviceTensors.h"

#include "runtime/device/Device.h"

namespace minic::tools {

using runtime::Tensor;

absl::StatusOr<DeviceTensors>
DeviceTensors::create(const runtime::Program &program,
                      absl::Span<const runtime::TensorSpec> specs,
                      absl::Span<const Tensor> host) {
  DeviceTensors result(program.executable().memory());
  result.host_.assign(host.begin(), host.end());
  if (result.memory_->isHost()) {
    result.tensors_ = result.host_;
    return result;
  }
  for (size_t i = 0; i < host.size(); ++i) {
    uint64_t bytes = specs[i].bytes();
    absl::StatusOr<void *> memory = result.memory_->allocate(bytes);
    if (!memory.ok()) {
      return memory.status();
    }
    Tensor tensor = host[i];
    tensor.data = *memory;
    tensor.place = program.place();
    result.tensors_.push_back(tensor);
    result.owned_.push_back(*memory);
    result.bytes_.push_back(bytes);
    if (bytes == 0) {
      continue;
    }
    absl::Status status = result.memory_->copyIn(*memory, host[i].data, bytes);
    if (!status.ok()) {
      return status;
    }
  }
  return result;
}

DeviceTensors::DeviceTensors(DeviceTensors &&other) noexcept
    : memory_(other.memory_), host_(std::move(other.host_)),
      tensors_(std::move(other.tensors_)), owned_(std::move(other.owned_)),
      bytes_(std::move(other.bytes_)) {
  other.owned_.clear();
}

DeviceTensors::~DeviceTensors() {
  for (void *memory : owned_) {
    if (memory) {
      memory_->release(memory);
    }
  }
}

absl::Status DeviceTensors::shareInPlace(const runtime::Program &program,
                                         const DeviceTensors &outputs) {
  const std::vector<runtime::TensorSpec> &specs = program.outputs();
  for (size_t i = 0; i < specs.size(); ++i) {
    if (!specs[i].inPlaceOf || specs[i].bytes() == 0) {
      continue;
    }
    size_t input = *specs[i].inPlaceOf;
    tensors_[input].data = outputs.tensors_[i].data;
    absl::Status status = memory_->copyIn(tensors_[input].data,
                                          host_[input].data, specs[i].bytes());
    if (!status.ok()) {
      return status;
    }
  }
  return absl::OkStatus();
}

absl::Status DeviceTensors::copyBack() const {
  for (size_t i = 0; i < bytes_.size(); ++i) { // none on the host
    if (bytes_[i] == 0) {
      continue;
    }
    absl::Status status = memory_->copyOut(host_[i].data, owned_[i], bytes_[i]);
    if (!status.ok()) {
      return status;
    }
  }
  return absl::OkStatus();
}

} // namespace minic::tools
