// SPDX-License-Identifier: Apache-2.0
//
// CudaExecution: enqueues a plan's commands on the caller's stream.

#ifndef MINIC_RUNTIME_DEVICE_CUDA_CUDAEXECUTION_H
#define MINIC_RUNTIME_DEVICE_CUDA_CUDAEXECUTION_H

#include "runtime/device/Device.h"
#include "runtime/device/cuda/BusyEstimate.h"
#include "runtime/device/cuda/CapturedGraph.h"

#include <optional>

namespace minic::runtime {

/// A run with the pointers of the run before only enqueues, or replays a graph;
/// nothing here allocates or waits but create, the first run of a graph and
/// synchronize.
class CudaExecution : public Execution {
public:
  /// What the Executable has for it; all outlives the Execution.
  struct Parts {
    std::shared_ptr<const CudaContext> context;
    const std::vector<LoadedCommand> &commands;
    PlanBases bases; // constants: the Executable's own
    /// Where the Execution has its own copy of the constants; else empty.
    std::vector<void *> constants;
    const std::vector<uint64_t> &callerBytes; // inputs, then outputs
    uint64_t zeroedBytes;                     // of the arena
    /// Where ExecutionOptions leave it to the artifact; null: no graph.
    const format::GraphVerdict *measured;
    uint64_t ownBytes = 0; // constants and arena
    /// Of the StatusWord in the arena; none: the plan has none.
    std::optional<uint64_t> status = std::nullopt;
  };
  static absl::StatusOr<std::unique_ptr<CudaExecution>>
  create(Parts parts, const ExecutionOptions &options);
  ~CudaExecution() override;

  absl::Status run(void *const *callers) override;
  absl::StatusOr<RunTrace> trace(void *const *callers) override;
  absl::Status setStream(void *stream) override;
  absl::Status synchronize() override;
  absl::Status enqueueCopy(void *destination, const void *source,
                           uint64_t bytes) override;
  absl::Status enqueueStridedCopy(void *destination, const void *source,
                                  const StridedCopy &shape) override;
  absl::Status enqueueFill(void *destination, uint64_t element,
                           int64_t elementBytes, uint64_t count) override;
  absl::Status prepare(void *const *callers) override;
  bool capturesNext() const override;
  bool isCapturing() const override;
  GraphCounters graphCounters() const override;
  std::string graphRefusal() const override {
    return graph_ ? graph_->refusal() : "";
  }

private:
  explicit CudaExecution(Parts parts) : parts_(std::move(parts)) {}

  absl::Status runPlainly(void *const *callers);
  absl::Status enqueueInRanges();
  /// Index among the commands of each step.
  std::vector<uint32_t> commandsOfSteps() const;
  /// OutOfRange where a kernel met an index that was; the stream is idle.
  absl::Status readStatusWord();

  Parts parts_;
  std::unique_ptr<CommandList> commands_;
  std::unique_ptr<CapturedGraph> graph_; // null: none is wanted
  std::optional<BusyEstimate> busy_;     // where only idle streams replay
  CUstream stream_ = nullptr;
  const CommandRanges *ranges_ = nullptr;
  std::vector<uint32_t> commandsOfSteps_; // where there are ranges
  int64_t plainRuns_ = 0;
};

} // namespace minic::runtime

#endif // MINIC_RUNTIME_DEVICE_CUDA_CUDAEXECUTION_H
