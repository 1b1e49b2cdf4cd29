// SPDX-License-Identifier: Apache-2.0
//
// An attention as operations of cuDNN.

#ifndef MINIC_RUNTIME_DEVICE_CUDA_CUDNN_ATTENTIONOPERATIONS_H
#define MINIC_RUNTIME_DEVICE_CUDA_CUDNN_ATTENTIONOPERATIONS_H

#include "runtime/device/cuda/cudnn/GraphOperations.h"

namespace minic::runtime {

/// Two products with a softmax between them, written out: the form that engines
/// of all versions 9 recognize and compute as one kernel. The one operation for
/// attention that 9.14 has as well knows no causal form. Unimplemented for
/// tensors that the kernels would read wrongly; throws what the frontend
/// throws. `problem.attention` is there.
absl::StatusOr<GraphOperations>
attentionOperations(const CudnnProblem &problem);

} // namespace minic::runtime

#endif // MINIC_RUNTIME_DEVICE_CUDA_CUDNN_ATTENTIONOPERATIONS_H
