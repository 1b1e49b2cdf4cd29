// SPDX-License-Identifier: Apache-2.0
//
// Event, step, event, ..., event.

#include "runtime/device/cuda/EventTrace.h"

#include "runtime/device/cuda/RecordedGraph.h"

namespace minic::runtime {

static absl::StatusOr<std::vector<CudaEvent>>
createEvents(const std::shared_ptr<const CudaContext> &context, size_t count) {
  std::vector<CudaEvent> events;
  for (size_t i = 0; i < count; ++i) {
    CUevent event;
    MINIC_RETURN_IF_CUDA_ERROR(context->driver(),
                               cuEventCreate(&event, CU_EVENT_DEFAULT),
                               "cuEventCreate");
    events.emplace_back(context, event);
  }
  return events;
}

/// Enqueues all; `flags` are those of the events.
static absl::Status enqueueBetween(const CudaDriver &driver,
                                   const CommandList &list,
                                   const std::vector<CudaEvent> &events,
                                   CUstream stream, unsigned flags) {
  for (size_t i = 0; i < events.size(); ++i) {
    MINIC_RETURN_IF_CUDA_ERROR(
        driver, cuEventRecordWithFlags(events[i].get(), stream, flags),
        "recording an event");
    if (i == list.steps().size()) {
      break;
    }
    if (absl::Status status = list.enqueue(list.steps()[i], stream);
        !status.ok()) {
      return status;
    }
  }
  return absl::OkStatus();
}

/// Once.
static absl::Status runBetween(std::shared_ptr<const CudaContext> context,
                               const CommandList &list,
                               const std::vector<CudaEvent> &events,
                               CUstream stream) {
  const CudaDriver &driver = context->driver();
  if (!list.captureRefusal().empty()) {
    absl::Status status =
        enqueueBetween(driver, list, events, stream, CU_EVENT_RECORD_DEFAULT);
    status.Update(driver.status(driver.cuStreamSynchronize(stream),
                                "waiting for a traced run"));
    return status;
  }
  absl::StatusOr<std::unique_ptr<RecordedGraph>> graph =
      RecordedGraph::record(std::move(context), [&](void *captured) {
        return enqueueBetween(driver, list, events,
                              static_cast<CUstream>(captured),
                              CU_EVENT_RECORD_EXTERNAL);
      });
  return graph.ok() ? (*graph)->replay().status() : graph.status();
}

absl::StatusOr<RunTrace>
traceByEvents(std::shared_ptr<const CudaContext> context,
              const CommandList &list, CUstream stream) {
  const CudaDriver &driver = context->driver();
  size_t count = list.steps().size();
  absl::StatusOr<std::vector<CudaEvent>> events =
      createEvents(context, count + 1);
  if (!events.ok()) {
    return events.status();
  }
  if (absl::Status status = runBetween(context, list, *events, stream);
      !status.ok()) {
    return status;
  }
  RunTrace trace;
  trace.clock = "CUDA events";
  for (size_t i = 0; i < count; ++i) {
    float milliseconds = 0;
    MINIC_RETURN_IF_CUDA_ERROR(driver,
                               cuEventElapsedTime(&milliseconds,
                                                  (*events)[i].get(),
                                                  (*events)[i + 1].get()),
                               "timing a command");
    CommandTime &time = trace.commands.emplace_back();
    time.command = uint32_t(i);
    time.beginUs = trace.spanUs;
    trace.spanUs += double(milliseconds) * 1000;
    time.endUs = trace.spanUs;
  }
  return trace;
}

} // namespace minic::runtime
