// SPDX-License-Identifier: Apache-2.0
//
// Says what this machine's GPUs can run.

#include "runtime/device/cuda/CudaDevice.h"

#include "runtime/device/cuda/Architecture.h"
#include "runtime/device/cuda/CudaExecutable.h"
#include "runtime/device/cuda/CudaMemory.h"

#include "absl/strings/str_cat.h"

namespace minic::runtime {

namespace {

class CudaDevice : public Device {
public:
  absl::Status canRun(const format::Variant &variant,
                      int deviceIndex) const override;

  absl::StatusOr<std::unique_ptr<Executable>>
  load(const ExecutableSource &source) const override {
    return CudaExecutable::load(source);
  }

  bool copiesConstants() const override { return true; }
  absl::StatusOr<std::shared_ptr<std::byte>>
  allocateConstants(uint64_t bytes, int deviceIndex) const override;
};

absl::Status CudaDevice::canRun(const format::Variant &variant,
                                int deviceIndex) const {
  absl::StatusOr<const CudaDriver *> opened = CudaDriver::open();
  if (!opened.ok()) {
    return absl::FailedPreconditionError(opened.status().message());
  }
  const CudaDriver &driver = **opened;
  int count = 0;
  MINIC_RETURN_IF_CUDA_ERROR(driver, cuDeviceGetCount(&count),
                             "cuDeviceGetCount");
  if (deviceIndex < 0 || deviceIndex >= count) {
    return absl::FailedPreconditionError(absl::StrCat(
        "CUDA device: expected an index below ", count, ", got ", deviceIndex));
  }
  CUdevice device;
  ComputeCapability capability;
  MINIC_RETURN_IF_CUDA_ERROR(driver, cuDeviceGet(&device, deviceIndex),
                             "cuDeviceGet");
  MINIC_RETURN_IF_CUDA_ERROR(
      driver,
      cuDeviceGetAttribute(&capability.major,
                           CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR,
                           device),
      "compute capability");
  MINIC_RETURN_IF_CUDA_ERROR(
      driver,
      cuDeviceGetAttribute(&capability.minor,
                           CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR,
                           device),
      "compute capability");
  if (variant.isa()) {
    for (const flatbuffers::String *isa : *variant.isa()) {
      absl::Status status =
          checkArchitecture({isa->c_str(), isa->size()}, capability);
      if (!status.ok()) {
        return status;
      }
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<std::shared_ptr<std::byte>>
CudaDevice::allocateConstants(uint64_t bytes, int deviceIndex) const {
  absl::StatusOr<std::shared_ptr<const CudaContext>> context =
      CudaContext::retain(deviceIndex);
  if (!context.ok()) {
    return context.status();
  }
  auto memory = std::make_shared<const CudaMemory>(*context);
  absl::StatusOr<void *> pinned = memory->allocatePinned(bytes);
  if (!pinned.ok()) { // a limit of locked memory, say
    return Device::allocateConstants(bytes, deviceIndex);
  }
  return std::shared_ptr<std::byte>(
      static_cast<std::byte *>(*pinned),
      [memory](std::byte *bytes) { memory->releasePinned(bytes); });
}

} // namespace

const Device &cudaDevice() {
  static const CudaDevice device;
  return device;
}

} // namespace minic::runtime
