// SPDX-License-Identifier: Apache-2.0
//
// CuptiTrace: times the commands of a run by what the device noted of each
// kernel and copy.

#ifndef MINIC_RUNTIME_DEVICE_CUDA_CUPTITRACE_H
#define MINIC_RUNTIME_DEVICE_CUDA_CUPTITRACE_H

#include "runtime/device/Device.h"
#include "runtime/device/cuda/CommandList.h"

namespace minic::runtime {

/// As traceByEvents, but steps are launched one by one as they are without a
/// trace: kernels may overlap, and the host may be what they wait for.
/// NotFound or Unavailable where CUPTI is not there, does not work, or did not
/// see each step.
absl::StatusOr<RunTrace>
traceByCupti(std::shared_ptr<const CudaContext> context,
             const CommandList &list, CUstream stream);

} // namespace minic::runtime

#endif // MINIC_RUNTIME_DEVICE_CUDA_CUPTITRACE_H
