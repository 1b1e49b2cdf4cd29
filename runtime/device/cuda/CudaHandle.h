// SPDX-License-Identifier: Apache-2.0
//
// CudaHandle: owns what the driver made.

#ifndef MINIC_RUNTIME_DEVICE_CUDA_CUDAHANDLE_H
#define MINIC_RUNTIME_DEVICE_CUDA_CUDAHANDLE_H

#include "runtime/device/cuda/CudaContext.h"

#include <utility>

namespace minic::runtime {

/// Move-only; destroys in the handle's own context.
template <typename Handle, auto Destroy> class CudaHandle {
public:
  CudaHandle() = default;
  CudaHandle(std::shared_ptr<const CudaContext> context, Handle handle)
      : context(std::move(context)), handle(handle) {}
  CudaHandle(CudaHandle &&other) noexcept { *this = std::move(other); }
  CudaHandle &operator=(CudaHandle &&other) noexcept {
    std::swap(context, other.context);
    std::swap(handle, other.handle);
    return *this;
  }
  ~CudaHandle() {
    if (handle) {
      CudaScope scope(*context);
      RelaxedCaptureScope relaxed(context->driver());
      (context->driver().*Destroy)(handle);
    }
  }
  Handle get() const { return handle; }

private:
  std::shared_ptr<const CudaContext> context;
  Handle handle = {};
};

using CudaStream = CudaHandle<CUstream, &CudaDriver::cuStreamDestroy>;
using CudaEvent = CudaHandle<CUevent, &CudaDriver::cuEventDestroy>;
using CudaModule = CudaHandle<CUmodule, &CudaDriver::cuModuleUnload>;
using CudaGraph = CudaHandle<CUgraph, &CudaDriver::cuGraphDestroy>;
using CudaGraphExec = CudaHandle<CUgraphExec, &CudaDriver::cuGraphExecDestroy>;
using CudaBuffer = CudaHandle<CUdeviceptr, &CudaDriver::cuMemFree>;

} // namespace minic::runtime

#endif // MINIC_RUNTIME_DEVICE_CUDA_CUDAHANDLE_H
