// SPDX-License-Identifier: Apache-2.0
//
// Asks the driver.

#include "runtime/device/cuda/CudaPointer.h"

#include "absl/strings/str_cat.h"

namespace minic::runtime {

absl::Status checkDevicePointer(const CudaContext &context,
                                const void *pointer) {
  CudaScope scope(context);
  CUmemorytype type = CUmemorytype(0);
  int ordinal = -1;
  unsigned managed = 0;
  CUpointer_attribute attributes[] = {CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
                                      CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL,
                                      CU_POINTER_ATTRIBUTE_IS_MANAGED};
  void *values[] = {&type, &ordinal, &managed};
  MINIC_RETURN_IF_CUDA_ERROR(
      context.driver(),
      cuPointerGetAttributes(3, attributes, values,
                             reinterpret_cast<CUdeviceptr>(pointer)),
      "a caller's pointer");
  if (managed != 0 ||
      (type == CU_MEMORYTYPE_DEVICE && ordinal == context.deviceIndex())) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "expected memory of CUDA device ", context.deviceIndex(), ", got ",
      type == CU_MEMORYTYPE_DEVICE
          ? absl::StrCat("memory of CUDA device ", ordinal)
      : type == CU_MEMORYTYPE_HOST ? "pinned host memory"
                                   : "host memory"));
}

absl::Status checkStream(const CudaContext &context, CUstream stream) {
  // The default streams belong to whatever context is current.
  if (stream == nullptr || stream == CU_STREAM_LEGACY ||
      stream == CU_STREAM_PER_THREAD) {
    return absl::OkStatus();
  }
  CUcontext owner = nullptr;
  CUresult result = context.driver().cuStreamGetCtx(stream, &owner);
  if (result == CUDA_SUCCESS && owner == context.handle()) {
    return absl::OkStatus();
  }
  std::string expected = absl::StrCat(
      "stream: expected one of the primary context of CUDA device ",
      context.deviceIndex());
  if (result == CUDA_SUCCESS || result == CUDA_ERROR_INVALID_HANDLE ||
      result == CUDA_ERROR_INVALID_CONTEXT) {
    return absl::InvalidArgumentError(
        absl::StrCat(expected, ", got one of another context or device"));
  }
  return context.driver().status(result, expected);
}

absl::Status checkNotCapturing(const CudaContext &context, CUstream stream,
                               absl::string_view what) {
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
  CUresult result = context.driver().cuStreamIsCapturing(stream, &status);
  if (result == CUDA_ERROR_STREAM_CAPTURE_IMPLICIT ||
      (result == CUDA_SUCCESS && status != CU_STREAM_CAPTURE_STATUS_NONE)) {
    return absl::FailedPreconditionError(
        absl::StrCat(what, ": expected a stream that is not being captured"));
  }
  return context.driver().status(result, what);
}

} // namespace minic::runtime
