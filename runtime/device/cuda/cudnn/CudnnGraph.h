// SPDX-License-Identifier: Apache-2.0
//
// CudnnGraph: a problem as a graph of cuDNN's operations, the engines cuDNN has
// for it, and plans made of them. What cudnn-frontend throws ends in it.

#ifndef MINIC_RUNTIME_DEVICE_CUDA_CUDNN_CUDNNGRAPH_H
#define MINIC_RUNTIME_DEVICE_CUDA_CUDNN_CUDNNGRAPH_H

#include "runtime/device/cuda/cudnn/CudnnPlan.h"
#include "runtime/device/cuda/cudnn/CudnnProblem.h"
#include "runtime/device/cuda/cudnn/EngineText.h"

namespace minic::runtime {

/// Which of cuDNN's lists of engines.
enum class CudnnHeuristic { A, B, Fallback };

/// One thread at a time.
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
  /// infinity reaches results it is no operand of), and without errata. Empty
  /// where there is none.
  absl::StatusOr<std::vector<EngineChoice>>
  engines(CudnnHeuristic heuristic) const;

  /// Makes engines with errata, too: a plan that names one has verified it.
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
