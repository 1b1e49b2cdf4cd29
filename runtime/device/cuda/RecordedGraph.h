// SPDX-License-Identifier: Apache-2.0
//
// RecordedGraph: runs captured into one graph between two event records.

#ifndef MINIC_RUNTIME_DEVICE_CUDA_RECORDEDGRAPH_H
#define MINIC_RUNTIME_DEVICE_CUDA_RECORDEDGRAPH_H

#include "runtime/device/Device.h"
#include "runtime/device/cuda/CudaHandle.h"

namespace minic::runtime {

/// The events are nodes of the graph, so that the time between them has no
/// launch by the host in it. One thread at a time.
class RecordedGraph : public RecordedRuns {
public:
  static absl::StatusOr<std::unique_ptr<RecordedGraph>>
  record(std::shared_ptr<const CudaContext> context,
         const std::function<absl::Status(void *stream)> &body);

  absl::StatusOr<double> replay() override;

private:
  explicit RecordedGraph(std::shared_ptr<const CudaContext> context)
      : context(std::move(context)) {}
  absl::Status createHandles();
  absl::Status capture(const std::function<absl::Status(void *stream)> &body);

  const std::shared_ptr<const CudaContext> context;
  CudaStream stream;
  CudaEvent begin, end;
  CudaGraphExec graph;
};

} // namespace minic::runtime

#endif // MINIC_RUNTIME_DEVICE_CUDA_RECORDEDGRAPH_H
