// SPDX-License-Identifier: Apache-2.0
//
// CudaExecution: enqueues a plan's commands on the caller's stream.

#ifndef MINIC_RUNTIME_DEVICE_CUDA_CUDAEXECUTION_H
#define MINIC_RUNTIME_DEVICE_CUDA_CUDAEXECUTION_H

#include "runtime/device/Device.h"
#include "runtime/device/cuda/CommandList.h"

namespace minic::runtime {

/// A run with the pointers of the run before only enqueues; nothing here
/// allocates or waits but create and synchronize.
class CudaExecution : public Execution {
public:
  /// What the Executable has for it; all outlives the Execution.
  struct Parts {
    std::shared_ptr<const CudaContext> context;
    const std::vector<LoadedCommand> &commands;
    PlanBases bases; // constants: the Executable's own
    /// Where the Execution has its own copy of the constants; else empty.
    std::vector<void *> constants;
    uint32_t callerCount;
    uint64_t zeroedBytes; // of the arena
  };
  static absl::StatusOr<std::unique_ptr<CudaExecution>>
  create(Parts parts, const ExecutionOptions &options);
  ~CudaExecution() override;

  absl::Status run(void *const *callers) override;
  absl::Status setStream(void *stream) override;
  absl::Status synchronize() override;
  absl::Status enqueueCopy(void *destination, const void *source,
                           uint64_t bytes) override;
  GraphCounters graphCounters() const override { return counters_; }

private:
  explicit CudaExecution(Parts parts) : parts_(std::move(parts)) {}

  Parts parts_;
  std::unique_ptr<CommandList> commands_;
  CUstream stream_ = nullptr;
  GraphCounters counters_;
};

} // namespace minic::runtime

#endif // MINIC_RUNTIME_DEVICE_CUDA_CUDAEXECUTION_H
