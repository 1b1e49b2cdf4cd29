// SPDX-License-Identifier: Apache-2.0
//
// Each call makes the context current for itself.

#include "runtime/device/cuda/CudaMemory.h"

#include "absl/strings/str_cat.h"

namespace minic::runtime {

namespace {

/// What every function below starts with.
struct Entry {
  explicit Entry(const CudaContext &context)
      : scope(context), relaxed(context.driver()) {}
  CudaScope scope;
  RelaxedCaptureScope relaxed;
};

absl::Status allocationError(const CudaContext &context, CUresult result,
                             const char *what, uint64_t bytes) {
  return context.driver().status(result, absl::StrCat(bytes, " bytes of ", what,
                                                      " CUDA device ",
                                                      context.deviceIndex()));
}

} // namespace

absl::StatusOr<std::unique_ptr<CudaMemory>>
CudaMemory::create(std::shared_ptr<const CudaContext> context) {
  const CudaDriver &driver = context->driver();
  Entry entry(*context);
  CUstream stream;
  MINIC_RETURN_IF_CUDA_ERROR(driver,
                             cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING),
                             "cuStreamCreate");
  CudaStream owned(context, stream);
  return std::unique_ptr<CudaMemory>(
      new CudaMemory(std::move(context), std::move(owned)));
}

absl::StatusOr<void *> CudaMemory::allocate(uint64_t bytes) const {
  if (bytes == 0) {
    return nullptr;
  }
  Entry entry(*context_);
  CUdeviceptr pointer;
  CUresult result = context_->driver().cuMemAlloc(&pointer, bytes);
  if (result != CUDA_SUCCESS) {
    return allocationError(*context_, result, "memory of", bytes);
  }
  return reinterpret_cast<void *>(pointer);
}

void CudaMemory::release(void *pointer) const {
  if (pointer) {
    Entry entry(*context_);
    context_->driver().cuMemFree(devicePointer(pointer));
  }
}

absl::StatusOr<CudaBuffer> CudaMemory::allocateBuffer(uint64_t bytes) const {
  absl::StatusOr<void *> pointer = allocate(bytes);
  if (!pointer.ok()) {
    return pointer.status();
  }
  return CudaBuffer(context_, devicePointer(*pointer));
}

absl::Status CudaMemory::waitForStream(absl::string_view what) const {
  return context_->driver().status(
      context_->driver().cuStreamSynchronize(stream_.get()), what);
}

absl::Status CudaMemory::copyIn(void *device, const void *host,
                                uint64_t bytes) const {
  if (bytes == 0) {
    return absl::OkStatus();
  }
  Entry entry(*context_);
  MINIC_RETURN_IF_CUDA_ERROR(
      context_->driver(),
      cuMemcpyHtoDAsync(devicePointer(device), host, bytes, stream_.get()),
      "copy to the device");
  return waitForStream("copy to the device");
}

absl::Status CudaMemory::copyOut(void *host, const void *device,
                                 uint64_t bytes) const {
  if (bytes == 0) {
    return absl::OkStatus();
  }
  Entry entry(*context_);
  MINIC_RETURN_IF_CUDA_ERROR(
      context_->driver(),
      cuMemcpyDtoHAsync(host, devicePointer(device), bytes, stream_.get()),
      "copy from the device");
  return waitForStream("copy from the device");
}

absl::Status CudaMemory::repeatWithin(void *to, const void *from,
                                      uint64_t bytes, int64_t times) const {
  if (bytes == 0 || times == 0) {
    return absl::OkStatus();
  }
  Entry entry(*context_);
  for (int64_t i = 0; i < times; ++i) {
    MINIC_RETURN_IF_CUDA_ERROR(
        context_->driver(),
        cuMemcpyAsync(devicePointer(to) + uint64_t(i) * bytes,
                      devicePointer(from), bytes, stream_.get()),
        "copy on the device");
  }
  return waitForStream("copy on the device");
}

absl::Status CudaMemory::fill(void *device, uint8_t value,
                              uint64_t bytes) const {
  if (bytes == 0) {
    return absl::OkStatus();
  }
  Entry entry(*context_);
  MINIC_RETURN_IF_CUDA_ERROR(
      context_->driver(),
      cuMemsetD8Async(devicePointer(device), value, bytes, stream_.get()),
      "fill on the device");
  return waitForStream("fill on the device");
}

absl::StatusOr<void *> CudaMemory::allocatePinned(uint64_t bytes) const {
  if (bytes == 0) {
    return nullptr;
  }
  Entry entry(*context_);
  void *pointer;
  CUresult result = context_->driver().cuMemAllocHost(&pointer, bytes);
  if (result != CUDA_SUCCESS) {
    return allocationError(*context_, result, "pinned host memory for", bytes);
  }
  return pointer;
}

void CudaMemory::releasePinned(void *pointer) const {
  if (pointer) {
    Entry entry(*context_);
    context_->driver().cuMemFreeHost(pointer);
  }
}

absl::StatusOr<void *> CudaMemory::allocateOn(void *stream,
                                              uint64_t bytes) const {
  if (bytes == 0) {
    return nullptr;
  }
  Entry entry(*context_);
  const CudaDriver &driver = context_->driver();
  auto *queue = static_cast<CUstream>(stream);
  CUstreamCaptureStatus capture;
  MINIC_RETURN_IF_CUDA_ERROR(driver, cuStreamIsCapturing(queue, &capture),
                             "the stream to allocate on");
  if (capture != CU_STREAM_CAPTURE_STATUS_NONE) {
    return absl::FailedPreconditionError(
        "stream: expected one that does not capture while memory is allocated "
        "on it");
  }
  CUdeviceptr pointer;
  CUresult result = driver.cuMemAllocAsync(&pointer, bytes, queue);
  if (result != CUDA_SUCCESS) {
    return allocationError(*context_, result, "pooled memory of", bytes);
  }
  return reinterpret_cast<void *>(pointer);
}

void CudaMemory::releaseOn(void *stream, void *pointer) const {
  if (pointer) {
    Entry entry(*context_);
    context_->driver().cuMemFreeAsync(devicePointer(pointer),
                                      static_cast<CUstream>(stream));
  }
}

} // namespace minic::runtime
