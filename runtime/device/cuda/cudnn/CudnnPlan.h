// SPDX-License-Identifier: Apache-2.0
//
// CudnnPlan: an engine made ready for one graph.

#ifndef MINIC_RUNTIME_DEVICE_CUDA_CUDNN_CUDNNPLAN_H
#define MINIC_RUNTIME_DEVICE_CUDA_CUDNN_CUDNNPLAN_H

#include "runtime/device/cuda/cudnn/CudnnLibrary.h"

#include "absl/types/span.h"

#include <vector>

namespace minic::runtime {

struct EngineConfig;

/// A tensor of one element that is given by value, from the host's memory.
struct CudnnScalar {
  int64_t id;
  uint32_t bits; ///< of a float or an int32
};

/// One thread at a time.
class CudnnPlan {
public:
  /// Of a graph whose pointers are those of `tensors` tensors, and `scalars`.
  /// Throws what the frontend throws.
  static std::unique_ptr<CudnnPlan> create(const CudnnLibrary &library,
                                           const EngineConfig &config,
                                           size_t tensors,
                                           std::vector<CudnnScalar> scalars);
  ~CudnnPlan();

  uint64_t workspaceBytes() const;
  /// `pointers`: of CudnnProblem::tensors(). Enqueues on the handle's stream.
  absl::Status enqueue(cudnnHandle_t handle, absl::Span<void *const> pointers,
                       void *workspace);

private:
  struct State;
  explicit CudnnPlan(std::unique_ptr<State> state);
  std::unique_ptr<State> state;
};

} // namespace minic::runtime

#endif // MINIC_RUNTIME_DEVICE_CUDA_CUDNN_CUDNNPLAN_H
