// SPDX-License-Identifier: Apache-2.0
//
// A tensor of a problem as cuDNN's descriptor.

#ifndef MINIC_RUNTIME_DEVICE_CUDA_CUDNN_GRAPHTENSOR_H
#define MINIC_RUNTIME_DEVICE_CUDA_CUDNN_GRAPHTENSOR_H

#include "runtime/device/cuda/cudnn/CudnnProblem.h"
#include "runtime/device/cuda/cudnn/Frontend.h"

namespace minic::runtime {

/// Of values that a graph keeps to itself the identifiers start here; those of
/// tensors and scalars are below.
constexpr int64_t kFirstVirtual = 100;

/// Unimplemented for a dtype that cuDNN does not compute with.
absl::StatusOr<cudnnDataType_t> dataType(DType dtype);

/// Unimplemented as dataType; throws what the frontend throws.
absl::StatusOr<fe::Tensor> describeTensor(const CudnnTensor &tensor,
                                          int64_t id);

} // namespace minic::runtime

#endif // MINIC_RUNTIME_DEVICE_CUDA_CUDNN_GRAPHTENSOR_H
