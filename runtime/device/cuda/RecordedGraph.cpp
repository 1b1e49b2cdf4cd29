// SPDX-License-Identifier: Apache-2.0
//
// Captures, instantiates, replays.

#include "runtime/device/cuda/RecordedGraph.h"

#include "absl/strings/str_cat.h"

namespace minic::runtime {

absl::Status RecordedGraph::createHandles() {
  const CudaDriver &driver = context->driver();
  CUstream newStream;
  MINIC_RETURN_IF_CUDA_ERROR(driver,
                             cuStreamCreate(&newStream, CU_STREAM_NON_BLOCKING),
                             "cuStreamCreate");
  stream = CudaStream(context, newStream);
  for (CudaEvent *event : {&begin, &end}) {
    CUevent newEvent;
    MINIC_RETURN_IF_CUDA_ERROR(
        driver, cuEventCreate(&newEvent, CU_EVENT_DEFAULT), "cuEventCreate");
    *event = CudaEvent(context, newEvent);
  }
  return absl::OkStatus();
}

absl::Status
RecordedGraph::capture(const std::function<absl::Status(void *stream)> &body) {
  const CudaDriver &driver = context->driver();
  MINIC_RETURN_IF_CUDA_ERROR(
      driver,
      cuStreamBeginCapture(stream.get(), CU_STREAM_CAPTURE_MODE_RELAXED),
      "recording runs");
  auto recordEvent = [&](const CudaEvent &event) {
    return driver.status(
        driver.cuEventRecordWithFlags(event.get(), stream.get(),
                                      CU_EVENT_RECORD_EXTERNAL),
        "recording an event");
  };
  absl::Status status = recordEvent(begin);
  if (status.ok()) {
    status = body(stream.get());
  }
  if (status.ok()) {
    status = recordEvent(end);
  }
  CUgraph captured = nullptr;
  CUresult result = driver.cuStreamEndCapture(stream.get(), &captured);
  CudaGraph owned(context, captured);
  if (!status.ok()) {
    return status;
  }
  if (result != CUDA_SUCCESS) {
    return driver.status(result, "recording runs: a call in them cannot be "
                                 "captured");
  }
  CUgraphExec executable;
  MINIC_RETURN_IF_CUDA_ERROR(driver,
                             cuGraphInstantiate(&executable, captured, 0),
                             "instantiating recorded runs");
  graph = CudaGraphExec(context, executable);
  MINIC_RETURN_IF_CUDA_ERROR(driver, cuGraphUpload(executable, stream.get()),
                             "uploading recorded runs");
  return absl::OkStatus();
}

absl::StatusOr<std::unique_ptr<RecordedGraph>>
RecordedGraph::record(std::shared_ptr<const CudaContext> context,
                      const std::function<absl::Status(void *stream)> &body) {
  CudaScope scope(*context);
  RelaxedCaptureScope relaxed(context->driver());
  std::unique_ptr<RecordedGraph> recorded(
      new RecordedGraph(std::move(context)));
  absl::Status status = recorded->createHandles();
  if (status.ok()) {
    status = recorded->capture(body);
  }
  if (!status.ok()) {
    return status;
  }
  return recorded;
}

absl::StatusOr<double> RecordedGraph::replay() {
  const CudaDriver &driver = context->driver();
  CudaScope scope(*context);
  RelaxedCaptureScope relaxed(driver);
  MINIC_RETURN_IF_CUDA_ERROR(driver, cuGraphLaunch(graph.get(), stream.get()),
                             "replaying recorded runs");
  MINIC_RETURN_IF_CUDA_ERROR(driver, cuStreamSynchronize(stream.get()),
                             "replaying recorded runs");
  float milliseconds = 0;
  MINIC_RETURN_IF_CUDA_ERROR(
      driver, cuEventElapsedTime(&milliseconds, begin.get(), end.get()),
      "timing recorded runs");
  return double(milliseconds) * 1000;
}

} // namespace minic::runtime
