// SPDX-License-Identifier: Apache-2.0
//
// Plain launches.

#include "runtime/device/cuda/CudaExecution.h"

#include "runtime/device/cuda/CudaMemory.h"
#include "runtime/device/cuda/CudaPointer.h"

#include "absl/strings/str_cat.h"

namespace minic::runtime {

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
      CommandList::create(context, own.commands, own.bases, own.callerCount);
  if (!commands.ok()) {
    return commands.status();
  }
  execution->commands_ = std::move(*commands);
  if (own.zeroedBytes == 0) {
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
  commands_.reset(); // library calls free what they hold of the device
}

absl::Status CudaExecution::run(void *const *callers) {
  CudaScope scope(*parts_.context);
  commands_->setCallers(callers);
  ++counters_.plainRuns;
  return commands_->enqueueAll(stream_);
}

absl::Status CudaExecution::setStream(void *stream) {
  CudaScope scope(*parts_.context);
  auto *queue = static_cast<CUstream>(stream);
  if (absl::Status status = checkStream(*parts_.context, queue); !status.ok()) {
    return status;
  }
  stream_ = queue;
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
  return absl::OkStatus();
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
