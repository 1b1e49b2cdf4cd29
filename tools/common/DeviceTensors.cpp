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
      tensors_(std::move(other.tensors_)), bytes_(std::move(other.bytes_)) {
  other.tensors_.clear();
}

DeviceTensors::~DeviceTensors() {
  if (memory_->isHost()) {
    return;
  }
  for (const Tensor &tensor : tensors_) {
    if (tensor.data) {
      memory_->release(tensor.data);
    }
  }
}

absl::Status DeviceTensors::copyBack() const {
  for (size_t i = 0; i < bytes_.size(); ++i) { // none on the host
    if (bytes_[i] == 0) {
      continue;
    }
    absl::Status status =
        memory_->copyOut(host_[i].data, tensors_[i].data, bytes_[i]);
    if (!status.ok()) {
      return status;
    }
  }
  return absl::OkStatus();
}

} // namespace minic::tools
