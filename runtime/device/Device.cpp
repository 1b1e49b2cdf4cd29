// SPDX-License-Identifier: Apache-2.0
//
// The one place that names the devices.

#include "runtime/device/Device.h"

#include "runtime/base/AlignedBuffer.h"
#include "runtime/base/StatusWord.h"
#include "runtime/device/cpu/CpuDevice.h"
#ifdef MINIC_BUILD_CUDA
#include "runtime/device/cuda/CudaDevice.h"
#endif

namespace minic::runtime {

absl::StatusOr<void *> DeviceMemory::allocatePinned(uint64_t) const {
  return absl::UnimplementedError("this device needs no pinned memory");
}

void DeviceMemory::releasePinned(void *) const {}

absl::StatusOr<void *> DeviceMemory::allocateOn(void *, uint64_t) const {
  return absl::UnimplementedError("this device has no stream-ordered pool");
}

void DeviceMemory::releaseOn(void *, void *) const {}

absl::Status Execution::setStream(void *) {
  return absl::InvalidArgumentError(
      "stream: expected none, the program runs on a CPU");
}

absl::Status Execution::prepare(void *const *callers) {
  absl::Status status = run(callers);
  status.Update(synchronize());
  return exceptIndices(status);
}

absl::Status Execution::synchronize() { return absl::OkStatus(); }

absl::Status Execution::enqueueCopy(void *, const void *, uint64_t) {
  return absl::UnimplementedError("this device copies nothing by itself");
}

absl::Status Execution::enqueueStridedCopy(void *, const void *,
                                           const StridedCopy &) {
  return absl::UnimplementedError("this device copies nothing by itself");
}

absl::Status Execution::enqueueFill(void *, uint64_t, int64_t, uint64_t) {
  return absl::UnimplementedError("this device fills nothing by itself");
}

absl::Status Executable::checkPointer(const void *) const {
  return absl::OkStatus();
}

absl::StatusOr<std::unique_ptr<RecordedRuns>>
Executable::record(const std::function<absl::Status(void *)> &) const {
  return absl::UnimplementedError("this device records no runs");
}

absl::StatusOr<std::vector<LibraryAlgorithm>>
Executable::algorithms(int, uint64_t) const {
  return absl::UnimplementedError(
      "the plan has no library call whose algorithm is open");
}

absl::Status Executable::copyConstants(void *, int64_t) const {
  return absl::UnimplementedError("this device's constants are not copied");
}

absl::StatusOr<std::shared_ptr<std::byte>>
Device::allocateConstants(uint64_t bytes, int) const {
  absl::StatusOr<AlignedBuffer> buffer = AlignedBuffer::create(bytes);
  if (!buffer.ok()) {
    return buffer.status();
  }
  auto owner = std::make_shared<AlignedBuffer>(std::move(*buffer));
  return std::shared_ptr<std::byte>(owner, owner->data());
}

const Device *findDevice(const std::string &target) {
  if (target == "cpu") {
    return &cpuDevice();
  }
#ifdef MINIC_BUILD_CUDA
  if (target == "cuda") {
    return &cudaDevice();
  }
#endif
  return nullptr;
}

} // namespace minic::runtime
