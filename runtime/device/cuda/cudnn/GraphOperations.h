// SPDX-License-Identifier: Apache-2.0
//
// A problem as operations of cuDNN.

#ifndef MINIC_RUNTIME_DEVICE_CUDA_CUDNN_GRAPHOPERATIONS_H
#define MINIC_RUNTIME_DEVICE_CUDA_CUDNN_GRAPHOPERATIONS_H

#include "runtime/device/cuda/cudnn/CudnnPlan.h"
#include "runtime/device/cuda/cudnn/CudnnProblem.h"
#include "runtime/device/cuda/cudnn/Frontend.h"

namespace minic::runtime {

struct GraphOperations {
  std::vector<fe::Operation> operations;
  std::vector<CudnnScalar> scalars;
};

/// The product, then what is added to it, then the activation; or an attention.
/// Tensors have the identifiers 1, 2, ... in the order of
/// CudnnProblem::tensors(). Unimplemented for what cuDNN has no operation for;
/// throws what the frontend throws.
absl::StatusOr<GraphOperations> graphOperations(const CudnnProblem &problem);

} // namespace minic::runtime

#endif // MINIC_RUNTIME_DEVICE_CUDA_CUDNN_GRAPHOPERATIONS_H
