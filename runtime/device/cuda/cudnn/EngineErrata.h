// SPDX-License-Identifier: Apache-2.0
//
// EngineErrata: engines of cuDNN that compute something else than they are
// asked for, although none of their notes says so.

#ifndef MINIC_RUNTIME_DEVICE_CUDA_CUDNN_ENGINEERRATA_H
#define MINIC_RUNTIME_DEVICE_CUDA_CUDNN_ENGINEERRATA_H

#include "runtime/device/cuda/cudnn/CudnnProblem.h"

namespace minic::runtime {

/// The engines that must not be chosen for `problem`. `version` as cuDNN gives
/// it: 91400 for 9.14.0.
std::vector<int64_t> engineErrata(const CudnnProblem &problem, size_t version);

} // namespace minic::runtime

#endif // MINIC_RUNTIME_DEVICE_CUDA_CUDNN_ENGINEERRATA_H
