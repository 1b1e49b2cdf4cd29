// SPDX-License-Identifier: Apache-2.0
//
// What the driver says of callers' pointers and streams.

#ifndef MINIC_RUNTIME_DEVICE_CUDA_CUDAPOINTER_H
#define MINIC_RUNTIME_DEVICE_CUDA_CUDAPOINTER_H

#include "runtime/device/cuda/CudaContext.h"

namespace minic::runtime {

/// InvalidArgument unless `pointer` is memory of the context's device, or
/// managed.
absl::Status checkDevicePointer(const CudaContext &context,
                                const void *pointer);

/// InvalidArgument unless work of the context can go to `stream`. The context
/// is current.
absl::Status checkStream(const CudaContext &context, CUstream stream);

/// FailedPrecondition, naming `what`, where the stream is being captured: a
/// wait or an allocation would end the capture. The context is current.
absl::Status checkNotCapturing(const CudaContext &context, CUstream stream,
                               absl::string_view what);

} // namespace minic::runtime

#endif // MINIC_RUNTIME_DEVICE_CUDA_CUDAPOINTER_H
