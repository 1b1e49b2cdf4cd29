// SPDX-License-Identifier: Apache-2.0
//
// Plain launches, and when a graph replaces them.

#include "runtime/device/cuda/CudaExecution.h"

#include "runtime/base/Log.h"
#include "runtime/base/StatusWord.h"
#include "runtime/device/cuda/CudaMemory.h"
#include "runtime/device/cuda/CudaPointer.h"
#include "runtime/device/cuda/CuptiTrace.h"
#include "runtime/device/cuda/EventTrace.h"

#include "absl/strings/str_cat.h"

#include <chrono>
#include <mutex>

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
static PointerPolicy policyOf(const format::GraphVerdict *measured,
                              uint64_t ownBytes, bool updates) {
  PointerPolicy policy;
  policy.mostStagedBytes = PointerPolicy::mostStagedBeside(ownBytes);
  if (const format::PointerChanges *changes =
          measured ? measured->pointer_changes() : nullptr) {
    policy.mostStagedBytes = changes->stage() ? UINT64_MAX : 0;
    policy.runsBeforeUpdate = changes->runs_before_update() > 0
                                  ? changes->runs_before_update()
                                  : PointerPolicy::never;
  }
  if (!updates) {
    policy.runsBeforeUpdate = PointerPolicy::never;
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
  if (options.ranges) {
    execution->ranges_ = options.ranges;
    execution->commandsOfSteps_ = execution->commandsOfSteps();
  }
  GraphMode mode = options.graph;
  double runUs = options.runUs;
  if (mode == GraphMode::Artifact) {
    mode = modeOf(own.measured);
    runUs = own.measured ? own.measured->run_us() : 0;
  }
  if (options.ranges) {
    mode = GraphMode::Off; // a graph's launch is one for all commands
  }
  if (mode == GraphMode::WhenIdle) {
    execution->busy_.emplace(runUs);
  }
  if (mode != GraphMode::Off) {
    absl::StatusOr<std::unique_ptr<CapturedGraph>> graph =
        CapturedGraph::create(
            own.context, *execution->commands_, own.callerBytes,
            own.bases.inputCount,
            options.pointers.value_or(
                policyOf(own.measured, own.ownBytes, options.updatesGraph)));
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
  if (absl::Status status = commands_->setCallers(callers); !status.ok()) {
    return status;
  }
  ++plainRuns_;
  return ranges_ ? enqueueInRanges() : commands_->enqueueAll(stream_);
}

absl::Status CudaExecution::enqueueInRanges() {
  for (size_t i = 0; i < commandsOfSteps_.size(); ++i) {
    CommandRange range(ranges_, commandsOfSteps_[i]);
    if (absl::Status status =
            commands_->enqueue(commands_->steps()[i], stream_);
        !status.ok()) {
      return status;
    }
  }
  return absl::OkStatus();
}

std::vector<uint32_t> CudaExecution::commandsOfSteps() const {
  // Steps know their commands by address.
  std::vector<uint32_t> commands;
  uint32_t command = 0;
  for (const CommandList::Step &step : commands_->steps()) {
    while (parts_.commands[command].command != step.command) {
      ++command;
    }
    commands.push_back(command);
  }
  return commands;
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

absl::StatusOr<RunTrace> CudaExecution::trace(void *const *callers) {
  CudaScope scope(*parts_.context);
  if (absl::Status status =
          checkNotCapturing(*parts_.context, stream_, "trace");
      !status.ok()) {
    return status;
  }
  absl::Status status = commands_->setCallers(callers);
  if (status.ok()) {
    status = exceptIndices(synchronize());
  }
  if (!status.ok()) {
    return status;
  }
  absl::StatusOr<RunTrace> trace =
      traceByCupti(parts_.context, *commands_, stream_);
  if (absl::IsUnavailable(trace.status())) {
    static std::once_flag warned;
    std::call_once(warned, [&] {
      logWarning(absl::StrCat("runs are traced by events: ",
                              trace.status().message()));
    });
  }
  if (absl::IsUnavailable(trace.status()) || absl::IsNotFound(trace.status())) {
    trace = traceByEvents(parts_.context, *commands_, stream_);
  }
  if (!trace.ok()) {
    return trace;
  }
  std::vector<uint32_t> commands = commandsOfSteps();
  for (CommandTime &time : trace->commands) {
    time.command = commands[time.command];
  }
  status = exceptIndices(synchronize());
  return status.ok() ? trace : status;
}

absl::Status CudaExecution::prepare(void *const *callers) {
  CudaScope scope(*parts_.context);
  if (absl::Status status =
          checkNotCapturing(*parts_.context, stream_, "prepare");
      !status.ok()) {
    return status;
  }
  absl::Status status = runPlainly(callers);
  // Also after a failure: what was enqueued uses the tensors.
  status.Update(synchronize());
  status = exceptIndices(status);
  if (status.ok() && graph_ && graph_->refusal().empty()) {
    graph_->bind(callers, stream_);
  }
  return status;
}

bool CudaExecution::capturesNext() const {
  return graph_ && graph_->refusal().empty() && !graph_->isCaptured();
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

/// Steps between rows that the driver takes: CU_DEVICE_ATTRIBUTE_MAX_PITCH.
static constexpr uint64_t mostPitch = INT32_MAX;

absl::Status CudaExecution::enqueueStridedCopy(void *destination,
                                               const void *source,
                                               const StridedCopy &shape) {
  if (shape.rowBytes == 0 || shape.rows == 0 || shape.planes == 0) {
    return absl::OkStatus();
  }
  auto at = [](const void *start, const StridedCopy::Side &side, uint64_t plane,
               uint64_t row) {
    return devicePointer(start) + plane * side.planeStep + row * side.rowStep;
  };
  CudaScope scope(*parts_.context);
  const CudaDriver &driver = parts_.context->driver();
  const char *what = "copy of rows";
  bool isPlain = shape.rows == 1 && shape.planes == 1;
  if (isPlain || shape.to.rowStep > mostPitch ||
      shape.from.rowStep > mostPitch) {
    for (uint64_t plane = 0; plane < shape.planes; ++plane) {
      for (uint64_t row = 0; row < shape.rows; ++row) {
        MINIC_RETURN_IF_CUDA_ERROR(
            driver,
            cuMemcpyAsync(at(destination, shape.to, plane, row),
                          at(source, shape.from, plane, row), shape.rowBytes,
                          stream_),
            what);
      }
    }
    return absl::OkStatus();
  }
  auto height = [&](const StridedCopy::Side &side) {
    return shape.planes == 1 ? shape.rows : side.planeStep / side.rowStep;
  };
  CUDA_MEMCPY3D copy = {};
  copy.srcMemoryType = copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  copy.srcDevice = devicePointer(source);
  copy.dstDevice = devicePointer(destination);
  copy.srcPitch = shape.from.rowStep;
  copy.dstPitch = shape.to.rowStep;
  copy.srcHeight = height(shape.from);
  copy.dstHeight = height(shape.to);
  copy.WidthInBytes = shape.rowBytes;
  copy.Height = shape.rows;
  copy.Depth = shape.planes;
  MINIC_RETURN_IF_CUDA_ERROR(driver, cuMemcpy3DAsync(&copy, stream_), what);
  return absl::OkStatus();
}

absl::Status CudaExecution::enqueueFill(void *destination, uint64_t element,
                                        int64_t elementBytes, uint64_t count) {
  if (count == 0) {
    return absl::OkStatus();
  }
  CudaScope scope(*parts_.context);
  const CudaDriver &driver = parts_.context->driver();
  CUdeviceptr to = devicePointer(destination);
  auto low = unsigned(element), high = unsigned(element >> 32);
  const char *what = "fill of a tensor";
  switch (elementBytes) {
  case 1:
    MINIC_RETURN_IF_CUDA_ERROR(
        driver, cuMemsetD8Async(to, uint8_t(element), count, stream_), what);
    return absl::OkStatus();
  case 2:
    MINIC_RETURN_IF_CUDA_ERROR(
        driver, cuMemsetD16Async(to, uint16_t(element), count, stream_), what);
    return absl::OkStatus();
  case 4:
    MINIC_RETURN_IF_CUDA_ERROR(driver,
                               cuMemsetD32Async(to, low, count, stream_), what);
    return absl::OkStatus();
  default:
    break;
  }
  if (low == high) {
    MINIC_RETURN_IF_CUDA_ERROR(
        driver, cuMemsetD32Async(to, low, 2 * count, stream_), what);
    return absl::OkStatus();
  }
  // No memset is 8 bytes wide: the lower halves, then the upper ones.
  for (unsigned half : {0, 1}) {
    MINIC_RETURN_IF_CUDA_ERROR(driver,
                               cuMemsetD2D32Async(to + 4 * half, /*pitch=*/8,
                                                  half ? high : low,
                                                  /*width=*/1, count, stream_),
                               what);
  }
  return absl::OkStatus();
}

} // namespace minic::runtime
