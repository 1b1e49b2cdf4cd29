// SPDX-License-Identifier: Apache-2.0
//
// CudnnEngine: an engine that is ready to run; CudnnEngines: makes those of one
// problem, keeps what is not needed now, and lists what cuDNN offers.

#ifndef MINIC_RUNTIME_DEVICE_CUDA_CUDNN_CUDNNENGINE_H
#define MINIC_RUNTIME_DEVICE_CUDA_CUDNN_CUDNNENGINE_H

#include "runtime/base/SparePool.h"
#include "runtime/device/Device.h"
#include "runtime/device/cuda/CudaContext.h"
#include "runtime/device/cuda/cudnn/CudnnGraph.h"

#include "absl/strings/str_cat.h"

namespace minic::runtime {

/// With a handle of its own; one call's alone. Outlives every CUDA graph that
/// was captured of it, as the call that has it does, and may be another call's
/// afterwards.
struct CudnnEngine : Spare {
  ~CudnnEngine() override;

  std::shared_ptr<const CudaContext> context;
  std::unique_ptr<CudnnHandle> handle;
  std::unique_ptr<CudnnGraph> graph;
  std::unique_ptr<CudnnPlan> plan; // null: of no engine yet
};

/// Thread-safe. The context is current in every member.
class CudnnEngines {
public:
  using Pointer = std::unique_ptr<CudnnEngine>;

  /// `spares` null: nothing is kept.
  CudnnEngines(const CudnnLibrary &library, CudnnProblem problem,
               std::shared_ptr<const CudaContext> context,
               std::shared_ptr<SparePool> spares);

  /// A handle and the problem's graph, of no engine.
  absl::StatusOr<Pointer> makeBare() const;
  /// A spare, or made of `bare`, which is made where it is null and stays where
  /// the engine does not support the problem.
  absl::StatusOr<Pointer> make(const EngineChoice &choice, Pointer &bare) const;
  /// Makes a spare of it, or where none are kept the next `bare`.
  void release(const EngineChoice &choice, Pointer ready, Pointer &bare) const;
  /// Makes a spare of it where any are kept.
  void giveBack(const EngineChoice &choice, Pointer ready) const;
  bool keepsSpares() const { return spares != nullptr; }

  /// What LibraryCall::algorithms returns, by the heuristics for the graph of
  /// `lister`. Where that has a plan, it is the engine `ready`, which is not
  /// made again. cuDNN compiles many engines when they are made, on the thread
  /// that makes them: several are made side by side.
  absl::StatusOr<std::vector<LibraryAlgorithm>>
  list(const CudnnEngine &lister, const EngineChoice &ready, int max,
       uint64_t scratchLimit) const;

  const CudnnLibrary &library;
  const CudnnProblem problem;

private:
  std::string keyOf(const EngineChoice &choice) const {
    return absl::StrCat(key, "; ", toString(choice));
  }
  /// Of an engine that is made and released.
  absl::StatusOr<uint64_t> workspaceBytes(const EngineChoice &choice,
                                          Pointer &bare) const;

  const std::shared_ptr<const CudaContext> context;
  const std::shared_ptr<SparePool> spares;
  const std::string key; // of this problem's spares
};

} // namespace minic::runtime

#endif // MINIC_RUNTIME_DEVICE_CUDA_CUDNN_CUDNNENGINE_H
