// SPDX-License-Identifier: Apache-2.0
//
// CudaContext: a device's primary context, the one that the CUDA runtime and
// every library of the process share, and the scopes in which it is current.

#ifndef MINIC_RUNTIME_DEVICE_CUDA_CUDACONTEXT_H
#define MINIC_RUNTIME_DEVICE_CUDA_CUDACONTEXT_H

#include "runtime/device/cuda/CudaDriver.h"

namespace minic::runtime {

/// Keeps the primary context of a device alive. Immutable and thread-safe.
class CudaContext : public std::enable_shared_from_this<CudaContext> {
public:
  /// NotFound or FailedPrecondition without a driver, InvalidArgument where
  /// there is no such device.
  static absl::StatusOr<std::shared_ptr<const CudaContext>>
  retain(int deviceIndex);
  ~CudaContext();
  CudaContext(const CudaContext &) = delete;
  CudaContext &operator=(const CudaContext &) = delete;

  const CudaDriver &driver() const { return driver_; }
  int deviceIndex() const { return deviceIndex_; }
  CUdevice device() const { return device_; }
  CUcontext handle() const { return handle_; }
  /// 0 where the driver does not know the attribute.
  int attribute(CUdevice_attribute attribute) const;

private:
  CudaContext(const CudaDriver &driver, int deviceIndex, CUdevice device,
              CUcontext handle)
      : driver_(driver), deviceIndex_(deviceIndex), device_(device),
        handle_(handle) {}

  const CudaDriver &driver_;
  const int deviceIndex_;
  const CUdevice device_;
  const CUcontext handle_;
};

/// The context is current on this thread while it lives; then again what was
/// before. Cheap where it is current already.
class CudaScope {
public:
  explicit CudaScope(const CudaContext &context);
  ~CudaScope();
  CudaScope(const CudaScope &) = delete;
  CudaScope &operator=(const CudaScope &) = delete;
  /// Of making it current: an error only where the context is lost.
  CUresult result() const { return result_; }

private:
  const CudaDriver &driver;
  CUresult result_ = CUDA_SUCCESS;
  bool pushed = false;
};

/// Allocations, loads and waits in this scope do not end a capture of another
/// thread's stream.
class RelaxedCaptureScope {
public:
  explicit RelaxedCaptureScope(const CudaDriver &driver) : driver(driver) {
    driver.cuThreadExchangeStreamCaptureMode(&mode);
  }
  ~RelaxedCaptureScope() { driver.cuThreadExchangeStreamCaptureMode(&mode); }
  RelaxedCaptureScope(const RelaxedCaptureScope &) = delete;
  RelaxedCaptureScope &operator=(const RelaxedCaptureScope &) = delete;

private:
  const CudaDriver &driver;
  CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_RELAXED;
};

} // namespace minic::runtime

#endif // MINIC_RUNTIME_DEVICE_CUDA_CUDACONTEXT_H
