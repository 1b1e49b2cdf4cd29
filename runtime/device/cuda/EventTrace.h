// SPDX-License-Identifier: Apache-2.0
//
// EventTrace: times the commands of a run by events between them.

#ifndef MINIC_RUNTIME_DEVICE_CUDA_EVENTTRACE_H
#define MINIC_RUNTIME_DEVICE_CUDA_EVENTTRACE_H

#include "runtime/device/Device.h"
#include "runtime/device/cuda/CommandList.h"

namespace minic::runtime {

/// Runs `list`, whose callers are set, with an event ahead of each step and
/// behind the last, and waits. `stream` is idle. Steps are replayed from a
/// graph, so that the host delays none; where one cannot be captured, they are
/// launched on `stream`. Their `command` is a place among the steps. The
/// context is current.
absl::StatusOr<RunTrace>
traceByEvents(std::shared_ptr<const CudaContext> context,
              const CommandList &list, CUstream stream);

} // namespace minic::runtime

#endif // MINIC_RUNTIME_DEVICE_CUDA_EVENTTRACE_H
