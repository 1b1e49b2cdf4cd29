// SPDX-License-Identifier: Apache-2.0
//
// Retains, releases, pushes and pops.

#include "runtime/device/cuda/CudaContext.h"

#include "absl/strings/str_cat.h"

namespace minic::runtime {

absl::StatusOr<std::shared_ptr<const CudaContext>>
CudaContext::retain(int deviceIndex) {
  absl::StatusOr<const CudaDriver *> opened = CudaDriver::open();
  if (!opened.ok()) {
    return opened.status();
  }
  const CudaDriver &driver = **opened;
  int count = 0;
  MINIC_RETURN_IF_CUDA_ERROR(driver, cuDeviceGetCount(&count),
                             "cuDeviceGetCount");
  if (deviceIndex < 0 || deviceIndex >= count) {
    return absl::InvalidArgumentError(absl::StrCat(
        "CUDA device: expected an index below ", count, ", got ", deviceIndex));
  }
  CUdevice device;
  MINIC_RETURN_IF_CUDA_ERROR(driver, cuDeviceGet(&device, deviceIndex),
                             "cuDeviceGet");
  CUcontext handle;
  MINIC_RETURN_IF_CUDA_ERROR(
      driver, cuDevicePrimaryCtxRetain(&handle, device),
      absl::StrCat("primary context of CUDA device ", deviceIndex));
  return std::shared_ptr<const CudaContext>(
      new CudaContext(driver, deviceIndex, device, handle));
}

CudaContext::~CudaContext() { driver_.cuDevicePrimaryCtxRelease(device_); }

int CudaContext::attribute(CUdevice_attribute attribute) const {
  int value = 0;
  return driver_.cuDeviceGetAttribute(&value, attribute, device_) ==
                 CUDA_SUCCESS
             ? value
             : 0;
}

CudaScope::CudaScope(const CudaContext &context) : driver(context.driver()) {
  CUcontext current = nullptr;
  result_ = driver.cuCtxGetCurrent(&current);
  if (result_ == CUDA_SUCCESS && current != context.handle()) {
    result_ = driver.cuCtxPushCurrent(context.handle());
    pushed = result_ == CUDA_SUCCESS;
  }
}

CudaScope::~CudaScope() {
  if (pushed) {
    CUcontext popped;
    driver.cuCtxPopCurrent(&popped);
  }
}

} // namespace minic::runtime
