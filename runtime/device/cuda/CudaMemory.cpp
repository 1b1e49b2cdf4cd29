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

absl::StatusOr<std::shared_ptr<const CudaStream>>
CudaMemory::getStream(bool keeps) const {
  std::lock_guard<std::mutex> lock(mutex_);
  if (kept_) {
    return kept_;
  }
  if (std::shared_ptr<const CudaStream> held = held_.lock()) {
    return held;
  }
  Entry entry(*context_);
  CUstream made;
  MINIC_RETURN_IF_CUDA_ERROR(context_->driver(),
                             cuStreamCreate(&made, CU_STREAM_NON_BLOCKING),
                             "cuStreamCreate");
  auto stream = std::make_shared<const CudaStream>(context_, made);
  keeps ? void(kept_ = stream) : void(held_ = stream);
  return stream;
}

std::shared_ptr<const void> CudaMemory::hold() const {
  // Without one, whatever needs a stream says what is wrong.
  return getStream(/*keeps=*/false).value_or(nullptr);
}

absl::Status CudaMemory::runAndWait(
    absl::string_view what,
    absl::FunctionRef<absl::Status(CUstream stream)> work) const {
  absl::StatusOr<std::shared_ptr<const CudaStream>> own =
      getStream(/*keeps=*/true);
  if (!own.ok()) {
    return own.status();
  }
  Entry entry(*context_);
  absl::Status status = work((*own)->get());
  return status.ok()
             ? context_->driver().status(
                   context_->driver().cuStreamSynchronize((*own)->get()), what)
             : status;
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

absl::Status CudaMemory::copyIn(void *device, const void *host,
                                uint64_t bytes) const {
  if (bytes == 0) {
    return absl::OkStatus();
  }
  const char *what = "copy to the device";
  return runAndWait(what, [&](CUstream stream) {
    return context_->driver().status(
        context_->driver().cuMemcpyHtoDAsync(devicePointer(device), host, bytes,
                                             stream),
        what);
  });
}

absl::Status CudaMemory::copyOut(void *host, const void *device,
                                 uint64_t bytes) const {
  if (bytes == 0) {
    return absl::OkStatus();
  }
  const char *what = "copy from the device";
  return runAndWait(what, [&](CUstream stream) {
    return context_->driver().status(
        context_->driver().cuMemcpyDtoHAsync(host, devicePointer(device), bytes,
                                             stream),
        what);
  });
}

absl::Status CudaMemory::repeatWithin(void *to, const void *from,
                                      uint64_t bytes, int64_t times) const {
  if (bytes == 0 || times == 0) {
    return absl::OkStatus();
  }
  const char *what = "copy on the device";
  return runAndWait(what, [&](CUstream stream) {
    absl::Status status;
    for (int64_t i = 0; i < times && status.ok(); ++i) {
      status =
          context_->driver().status(context_->driver().cuMemcpyAsync(
                                        devicePointer(to) + uint64_t(i) * bytes,
                                        devicePointer(from), bytes, stream),
                                    what);
    }
    return status;
  });
}

absl::Status CudaMemory::fill(void *device, uint8_t value,
                              uint64_t bytes) const {
  if (bytes == 0) {
    return absl::OkStatus();
  }
  const char *what = "fill on the device";
  return runAndWait(what, [&](CUstream stream) {
    return context_->driver().status(
        context_->driver().cuMemsetD8Async(devicePointer(device), value, bytes,
                                           stream),
        what);
  });
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
