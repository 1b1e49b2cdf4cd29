// SPDX-License-Identifier: Apache-2.0
//
// CudaDriver: the CUDA driver's functions, opened on demand. minic uses no CUDA
// runtime library.

#ifndef MINIC_RUNTIME_DEVICE_CUDA_CUDADRIVER_H
#define MINIC_RUNTIME_DEVICE_CUDA_CUDADRIVER_H

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

#include <cuda.h>

#include <memory>
#include <string>

// Every function that minic calls. cuda.h maps some names to versioned ones;
// members and symbols follow it.
#define MINIC_CUDA_FUNCTIONS(X)                                                \
  X(cuGetErrorName)                                                            \
  X(cuGetErrorString)                                                          \
  X(cuDeviceGet)                                                               \
  X(cuDeviceGetCount)                                                          \
  X(cuDeviceGetName)                                                           \
  X(cuDeviceGetAttribute)                                                      \
  X(cuDeviceGetUuid)                                                           \
  X(cuDeviceTotalMem)                                                          \
  X(cuDevicePrimaryCtxRetain)                                                  \
  X(cuDevicePrimaryCtxRelease)                                                 \
  X(cuCtxGetCurrent)                                                           \
  X(cuCtxPushCurrent)                                                          \
  X(cuCtxPopCurrent)                                                           \
  X(cuModuleLoadDataEx)                                                        \
  X(cuModuleUnload)                                                            \
  X(cuModuleGetFunction)                                                       \
  X(cuFuncLoad)                                                                \
  X(cuFuncGetParamInfo)                                                        \
  X(cuFuncGetAttribute)                                                        \
  X(cuFuncSetAttribute)                                                        \
  X(cuMemAlloc)                                                                \
  X(cuMemFree)                                                                 \
  X(cuMemAllocAsync)                                                           \
  X(cuMemFreeAsync)                                                            \
  X(cuMemAllocHost)                                                            \
  X(cuMemFreeHost)                                                             \
  X(cuMemcpyHtoDAsync)                                                         \
  X(cuMemcpyDtoHAsync)                                                         \
  X(cuMemcpyAsync)                                                             \
  X(cuMemcpy3DAsync)                                                           \
  X(cuMemsetD8Async)                                                           \
  X(cuMemsetD16Async)                                                          \
  X(cuMemsetD32Async)                                                          \
  X(cuMemsetD2D32Async)                                                        \
  X(cuPointerGetAttributes)                                                    \
  X(cuThreadExchangeStreamCaptureMode)                                         \
  X(cuStreamCreate)                                                            \
  X(cuStreamDestroy)                                                           \
  X(cuStreamGetCtx)                                                            \
  X(cuStreamIsCapturing)                                                       \
  X(cuStreamBeginCapture)                                                      \
  X(cuStreamEndCapture)                                                        \
  X(cuStreamGetCaptureInfo)                                                    \
  X(cuStreamSynchronize)                                                       \
  X(cuEventCreate)                                                             \
  X(cuEventDestroy)                                                            \
  X(cuEventRecordWithFlags)                                                    \
  X(cuEventSynchronize)                                                        \
  X(cuEventElapsedTime)                                                        \
  X(cuTensorMapEncodeIm2col)                                                   \
  X(cuTensorMapEncodeTiled)                                                    \
  X(cuLaunchKernel)                                                            \
  X(cuLaunchKernelEx)                                                          \
  X(cuGraphInstantiate)                                                        \
  X(cuGraphDestroy)                                                            \
  X(cuGraphExecDestroy)                                                        \
  X(cuGraphLaunch)                                                             \
  X(cuGraphUpload)                                                             \
  X(cuGraphGetNodes)                                                           \
  X(cuGraphNodeGetType)                                                        \
  X(cuGraphExecUpdate)                                                         \
  X(cuGraphMemcpyNodeGetParams)                                                \
  X(cuGraphMemsetNodeGetParams)                                                \
  X(cuGraphExecKernelNodeSetParams)                                            \
  X(cuGraphExecMemcpyNodeSetParams)                                            \
  X(cuGraphExecMemsetNodeSetParams)

namespace minic::runtime {

/// The functions by their own names. Thread-safe.
struct CudaDriver {
#define MINIC_CUDA_MEMBER(name) decltype(&::name) name;
  MINIC_CUDA_FUNCTIONS(MINIC_CUDA_MEMBER)
#undef MINIC_CUDA_MEMBER

  int version = 0; // of CUDA, as 1000 * major + 10 * minor

  /// Opens libcuda.so.1, or what the environment's MINIC_CUDA_DRIVER names,
  /// once per process and keeps it. NotFound where there is no driver or no
  /// device, FailedPrecondition where the driver is older than minic needs or
  /// does not work; each says which.
  static absl::StatusOr<const CudaDriver *> open();

  /// The same, each time anew, from `path`.
  static absl::StatusOr<std::unique_ptr<const CudaDriver>>
  load(const std::string &path);

  /// "what: CUDA_ERROR_...: <text>". ResourceExhausted where memory ran out,
  /// FailedPrecondition where the device cannot run a binary, else Internal,
  /// which says so where the context is lost with the error.
  absl::Status status(CUresult result, absl::string_view what) const;
};

/// CUDA_SUCCESS is no error: the driver is asked for a name only otherwise.
#define MINIC_RETURN_IF_CUDA_ERROR(driver, call, what)                         \
  if (CUresult cudaResult = (driver).call; cudaResult != CUDA_SUCCESS) {       \
    return (driver).status(cudaResult, what);                                  \
  }

/// Whether `status` is of an error that lost the context, as
/// CudaDriver::status() makes it: every later call fails, too.
bool isContextLost(const absl::Status &status);

/// "13.0" for 13000.
std::string cudaVersionText(int version);

} // namespace minic::runtime

#endif // MINIC_RUNTIME_DEVICE_CUDA_CUDADRIVER_H
