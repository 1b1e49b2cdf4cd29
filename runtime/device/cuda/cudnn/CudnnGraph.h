// SPDX-License-Identifier: Apache-2.0
//
// CudnnGraph: a problem as a graph of cuDNN's operations, the engines cuDNN has
// for it, and plans made of them. The only files that see cudnn-frontend; what
// it throws ends in them.

#ifndef MINIC_RUNTIME_DEVICE_CUDA_CUDNN_CUDNNGRAPH_H
#define MINIC_RUNTIME_DEVICE_CUDA_CUDNN_CUDNNGRAPH_H

#include "runtime/device/cuda/cudnn/CudnnLibrary.h"
#include "runtime/device/cuda/cudnn/CudnnProblem.h"
#include "runtime/device/cuda/cudnn/EngineText.h"

#include "absl/types/span.h"

namespace minic::runtime {

/// Which of cuDNN's lists of engines.
enum class CudnnHeuristic { A, B, Fallback };

/// An engine made ready for one graph; one thread at a time.
class CudnnPlan {
public:
  ~CudnnPlan();
  uint64_t workspaceBytes() const;
  /// `pointers`: of CudnnProblem::tensors(). Enqueues on the handle's stream.
  absl::Status enqueue(cudnnHandle_t handle, absl::Span<void *const> pointers,
                       void *workspace);

private:
  friend class CudnnGraph;
  struct State;
  explicit CudnnPlan(std::unique_ptr<State> state);
  std::unique_ptr<State> state;
};

class CudnnGraph {
public:
  /// On the handle's device; with a null handle on the one that
  /// `deviceProperties` (JSON as cuDNN writes it) describes, for which plans
  /// can be made but not run. Unimplemented for what cuDNN has no operation
  /// for.
  static absl::StatusOr<std::unique_ptr<CudnnGraph>>
  create(const CudnnLibrary &library, const CudnnProblem &problem,
         cudnnHandle_t handle, const std::string &deviceProperties = "");
  ~CudnnGraph();

  /// What the heuristic lists, best first, without engines whose numerics the
  /// problem does not allow: those that round f32 to tf32 unasked, reduce in
  /// less than f32, or transform the data first (Winograd, FFT: a NaN or an
  /// infinity reaches results it is no operand of). Empty where there is none.
  absl::StatusOr<std::vector<EngineChoice>>
  engines(CudnnHeuristic heuristic) const;

  /// InvalidArgument for an engine that this graph does not have or whose
  /// numerics are not allowed; Unimplemented for one that does not support it.
  absl::StatusOr<std::unique_ptr<CudnnPlan>>
  plan(const EngineChoice &choice) const;

private:
  struct State;
  explicit CudnnGraph(std::unique_ptr<State> state);
  std::unique_ptr<State> state;
};

} // namespace minic::runtime

#endif // MINIC_RUNTIME_DEVICE_CUDA_CUDNN_CUDNNGRAPH_H
