// SPDX-License-Identifier: Apache-2.0
//
// A GPU's memory as a DeviceMemory.

#ifndef MINIC_RUNTIME_DEVICE_CUDA_CUDAMEMORY_H
#define MINIC_RUNTIME_DEVICE_CUDA_CUDAMEMORY_H

#include "runtime/device/Device.h"
#include "runtime/device/cuda/CudaHandle.h"

namespace minic::runtime {

/// Copies and fills go through a stream of its own and are waited for, so they
/// are complete for every stream, whatever the caller's streams do.
class CudaMemory : public DeviceMemory {
public:
  static absl::StatusOr<std::unique_ptr<CudaMemory>>
  create(std::shared_ptr<const CudaContext> context);

  bool isHost() const override { return false; }
  absl::StatusOr<void *> allocate(uint64_t bytes) const override;
  void release(void *pointer) const override;
  absl::Status copyIn(void *device, const void *host,
                      uint64_t bytes) const override;
  absl::Status copyOut(void *host, const void *device,
                       uint64_t bytes) const override;
  absl::Status fill(void *device, uint8_t value, uint64_t bytes) const override;
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
  /// What it copies on; for work at load that has to be waited for.
  CUstream stream() const { return stream_.get(); }
  absl::Status waitForStream(absl::string_view what) const;
  const CudaContext &context() const { return *context_; }

private:
  CudaMemory(std::shared_ptr<const CudaContext> context, CudaStream stream)
      : context_(std::move(context)), stream_(std::move(stream)) {}

  const std::shared_ptr<const CudaContext> context_;
  const CudaStream stream_;
};

inline CUdeviceptr devicePointer(const void *pointer) {
  return reinterpret_cast<CUdeviceptr>(pointer);
}

} // namespace minic::runtime

#endif // MINIC_RUNTIME_DEVICE_CUDA_CUDAMEMORY_H
