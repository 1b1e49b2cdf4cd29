// SPDX-License-Identifier: Apache-2.0
//
// A GPU's memory as a DeviceMemory.

#ifndef MINIC_RUNTIME_DEVICE_CUDA_CUDAMEMORY_H
#define MINIC_RUNTIME_DEVICE_CUDA_CUDAMEMORY_H

#include "runtime/device/Device.h"
#include "runtime/device/cuda/CudaHandle.h"

#include "absl/functional/function_ref.h"

#include <mutex>

namespace minic::runtime {

/// Copies and fills go through a stream of its own and are waited for, so they
/// are complete for every stream, whatever the caller's streams do. A stream
/// takes up to 2 MiB of the device: while something holds one, all use it, and
/// it ends with the last holder; the first use without a holder makes one that
/// stays. Thread-safe.
class CudaMemory : public DeviceMemory {
public:
  explicit CudaMemory(std::shared_ptr<const CudaContext> context)
      : context_(std::move(context)) {}

  bool isHost() const override { return false; }
  absl::StatusOr<void *> allocate(uint64_t bytes) const override;
  void release(void *pointer) const override;
  absl::Status copyIn(void *device, const void *host,
                      uint64_t bytes) const override;
  absl::Status copyOut(void *host, const void *device,
                       uint64_t bytes) const override;
  absl::Status fill(void *device, uint8_t value, uint64_t bytes) const override;
  std::shared_ptr<const void> hold() const override;
  absl::StatusOr<void *> allocatePinned(uint64_t bytes) const override;
  void releasePinned(void *pointer) const override;
  absl::StatusOr<void *> allocateOn(void *stream,
                                    uint64_t bytes) const override;
  void releaseOn(void *stream, void *pointer) const override;

  /// Copies `bytes` from `from` to `to`, `times` times in a row.
  absl::Status repeatWithin(void *to, const void *from, uint64_t bytes,
                            int64_t times) const;
  /// Null for zero bytes.
  absl::StatusOr<CudaBuffer> allocateBuffer(uint64_t bytes) const;
  /// Calls `work` with what it copies on, and waits for that; `what`: in
  /// messages.
  absl::Status
  runAndWait(absl::string_view what,
             absl::FunctionRef<absl::Status(CUstream stream)> work) const;
  const CudaContext &context() const { return *context_; }

private:
  /// `keeps`: made where there is none, it stays.
  absl::StatusOr<std::shared_ptr<const CudaStream>> getStream(bool keeps) const;

  const std::shared_ptr<const CudaContext> context_;
  mutable std::mutex mutex_; // of the following
  mutable std::weak_ptr<const CudaStream> held_;
  mutable std::shared_ptr<const CudaStream> kept_;
};

inline CUdeviceptr devicePointer(const void *pointer) {
  return reinterpret_cast<CUdeviceptr>(pointer);
}

} // namespace minic::runtime

#endif // MINIC_RUNTIME_DEVICE_CUDA_CUDAMEMORY_H
