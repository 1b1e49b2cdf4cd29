// SPDX-License-Identifier: Apache-2.0
//
// Plain launches, and when a graph replaces them.

#include "runtime/device/cuda/CudaExecution.h"

#include "runtime/base/StatusWord.h"
#include "runtime/device/cuda/CudaMemory.h"
#include "runtime/device/cuda/CudaPointer.h"

#include "absl/strings/str_cat.h"

#include <chrono>

namespace minic::runtime {

static GraphMode modeOf(const format::GraphVerdict *measured) {
  switch (measured ? measured->replay() : format::Replay::never) {
  case format::Replay::never:
    return GraphMode::Off;
  case format::Replay::always:
    return GraphMode::On;
  case format::Replay::when_idle:
    return GraphMode::WhenIdle;
  }
  return GraphMode::Off;
}

/// Of changed pointers.
static PointerPolicy policyOf(const format::GraphVerdict *measured) {
  PointerPolicy policy;
  if (const format::PointerChanges *changes =
          measured ? measured->pointer_changes() : nullptr) {
    policy.mostStagedBytes = changes->stage() ? UINT64_MAX : 0;
    policy.runsBeforeUpdate = changes->runs_before_update() > 0
                                  ? changes->runs_before_update()
                                  : PointerPolicy::never;
  }
  return policy;
}

static double hostClockUs() {
  return std::chrono::duration<double, std::micro>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

absl::StatusOr<std::unique_ptr<CudaExecution>>
CudaExecution::create(Parts parts, const ExecutionOptions &options) {
  std::unique_ptr<CudaExecution> execution(new CudaExecution(std::move(parts)));
  Parts &own = execution->parts_;
  const CudaContext &context = *own.context;
  CudaScope scope(context);
  RelaxedCaptureScope relaxed(context.driver());
  if (!own.constants.empty()) {
    own.bases.constants = own.constants.data();
  }
  if (absl::Status status = execution->setStream(options.stream);
      !status.ok()) {
    return status;
  }
  absl::StatusOr<std::unique_ptr<CommandList>> commands =
      CommandList::create(context, own.commands, own.bases,
                          own.callerBytes.size(), options.sharesCalls);
  if (!commands.ok()) {
    return commands.status();
  }
  execution->commands_ = std::move(*commands);
  GraphMode mode = options.graph;
  double runUs = options.runUs;
  if (mode == GraphMode::Artifact) {
    mode = modeOf(own.measured);
    runUs = own.measured ? own.measured->run_us() : 0;
  }
  if (mode == GraphMode::WhenIdle) {
    execution->busy_.emplace(runUs);
  }
  if (mode != GraphMode::Off) {
    absl::StatusOr<std::unique_ptr<CapturedGraph>> graph =
        CapturedGraph::create(
            own.context, *execution->commands_, own.callerBytes,
            own.bases.inputCount,
            options.pointers.value_or(policyOf(own.measured)));
    if (!graph.ok()) {
      return graph.status();
    }
    execution->graph_ = std::move(*graph);
  }
  if (own.zeroedBytes == 0 || options.isArenaZeroed) {
    return execution;
  }
  // Waited for, since later runs may go to another stream.
  CUstream stream = execution->stream_;
  if (absl::Status status = checkNotCapturing(context, stream, "stream");
      !status.ok()) {
    return status;
  }
  MINIC_RETURN_IF_CUDA_ERROR(context.driver(),
                             cuMemsetD8Async(devicePointer(own.bases.arena), 0,
                                             own.zeroedBytes, stream),
                             "zeroing the arena");
  MINIC_RETURN_IF_CUDA_ERROR(context.driver(), cuStreamSynchronize(stream),
                             "zeroing the arena");
  return execution;
}

CudaExecution::~CudaExecution() {
  CudaScope scope(*parts_.context);
  graph_.reset();    // refers to the commands
  commands_.reset(); // library calls free what they hold of the device
}

absl::Status CudaExecution::runPlainly(void *const *callers) {
  // Before anything is enqueued, so that the caller's capture stays whole.
  if (!commands_->captureRefusal().empty() && isCapturing()) {
    return absl::FailedPreconditionError(
        absl::StrCat("run: expected a stream that is not being captured: ",
                     commands_->captureRefusal()));
  }
  commands_->setCallers(callers);
  ++plainRuns_;
  return commands_->enqueueAll(stream_);
}

absl::Status CudaExecution::run(void *const *callers) {
  CudaScope scope(*parts_.context);
  if (!graph_ || !graph_->refusal().empty()) {
    return runPlainly(callers);
  }
  bool isIdle = !busy_ || busy_->enqueue(hostClockUs());
  // A stream that captures gets the commands themselves.
  if ((!isIdle && graph_->isCaptured()) || isCapturing()) {
    return runPlainly(callers);
  }
  if (graph_->isCaptured()) {
    absl::StatusOr<bool> replayed = graph_->replay(callers, stream_);
    return !replayed.ok() ? replayed.status()
           : *replayed    ? absl::OkStatus()
                          : runPlainly(callers);
  }
  absl::Status status = runPlainly(callers);
  if (status.ok()) {
    graph_->capture(callers, stream_);
  }
  return status;
}

bool CudaExecution::isCapturing() const {
  // The default stream is that of the current CUDA context.
  CudaScope scope(*parts_.context);
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
  return parts_.context->driver().cuStreamIsCapturing(stream_, &status) !=
             CUDA_SUCCESS ||
         status != CU_STREAM_CAPTURE_STATUS_NONE;
}

GraphCounters CudaExecution::graphCounters() const {
  GraphCounters counters = graph_ ? graph_->counters() : GraphCounters();
  counters.plainRuns = plainRuns_;
  return counters;
}

absl::Status CudaExecution::setStream(void *stream) {
  CudaScope scope(*parts_.context);
  auto *queue = static_cast<CUstream>(stream);
  if (absl::Status status = checkStream(*parts_.context, queue); !status.ok()) {
    return status;
  }
  stream_ = queue;
  if (busy_) {
    busy_->clear();
  }
  return absl::OkStatus();
}

absl::Status CudaExecution::synchronize() {
  const CudaContext &context = *parts_.context;
  CudaScope scope(context);
  if (absl::Status status = checkNotCapturing(context, stream_, "synchronize");
      !status.ok()) {
    return status;
  }
  MINIC_RETURN_IF_CUDA_ERROR(
      context.driver(), cuStreamSynchronize(stream_),
      absl::StrCat("a run on CUDA device ", context.deviceIndex(), " failed"));
  if (busy_) {
    busy_->clear();
  }
  return parts_.status ? readStatusWord() : absl::OkStatus();
}

absl::Status CudaExecution::readStatusWord() {
  const CudaDriver &driver = parts_.context->driver();
  StatusWord word = 0;
  CUdeviceptr place = devicePointer(parts_.bases.arena + *parts_.status);
  MINIC_RETURN_IF_CUDA_ERROR(
      driver, cuMemcpyAsync(devicePointer(&word), place, sizeof(word), stream_),
      "reading the status word");
  MINIC_RETURN_IF_CUDA_ERROR(driver, cuStreamSynchronize(stream_),
                             "reading the status word");
  if (word == 0) {
    return absl::OkStatus();
  }
  MINIC_RETURN_IF_CUDA_ERROR(driver,
                             cuMemsetD8Async(place, 0, sizeof(word), stream_),
                             "clearing the status word");
  MINIC_RETURN_IF_CUDA_ERROR(driver, cuStreamSynchronize(stream_),
                             "clearing the status word");
  return indexOutOfRange();
}

absl::Status CudaExecution::enqueueCopy(void *destination, const void *source,
                                        uint64_t bytes) {
  if (bytes == 0) {
    return absl::OkStatus();
  }
  CudaScope scope(*parts_.context);
  MINIC_RETURN_IF_CUDA_ERROR(parts_.context->driver(),
                             cuMemcpyAsync(devicePointer(destination),
                                           devicePointer(source), bytes,
                                           stream_),
                             "copy between host and device");
  return absl::OkStatus();
}

} // namespace minic::runtime
