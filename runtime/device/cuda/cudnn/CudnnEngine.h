// SPDX-License-Identifier: Apache-2.0
//
// CudnnEngine: an engine that is ready to run. CudnnEngines: makes the engines
// of one problem, keeps spares, and lists what cuDNN offers.

#ifndef MINIC_RUNTIME_DEVICE_CUDA_CUDNN_CUDNNENGINE_H
#define MINIC_RUNTIME_DEVICE_CUDA_CUDNN_CUDNNENGINE_H

#include "runtime/base/SparePool.h"
#include "runtime/device/Device.h"
#include "runtime/device/cuda/CudaContext.h"
#include "runtime/device/cuda/cudnn/CudnnGraph.h"

#include "absl/strings/str_cat.h"

namespace minic::runtime {

/// Has a handle of its own and belongs to one call at a time. Both outlive
/// every CUDA graph that captured it; afterwards another call may take it.
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

  /// A handle and the problem's graph, without an engine.
  absl::StatusOr<Pointer> makeBare() const;
  /// Takes a spare, else turns `bare` into the engine, after making `bare` if
  /// it is null. If the engine does not support the problem, `bare` stays.
  absl::StatusOr<Pointer> make(const EngineChoice &choice, Pointer &bare) const;
  /// Keeps `ready` as a spare or, if none are kept, as the next `bare`.
  void release(const EngineChoice &choice, Pointer ready, Pointer &bare) const;
  /// Keeps `ready` as a spare, if spares are kept.
  void giveBack(const EngineChoice &choice, Pointer ready) const;
  bool keepsSpares() const { return spares != nullptr; }

  /// What LibraryCall::algorithms returns: the engines that the heuristics list
  /// for the graph of `lister`. If `lister` has a plan, it is the engine
  /// `ready`, and is not made again. cuDNN compiles many engines when they are
  /// made, on the thread that makes them. So several are made side by side.
  absl::StatusOr<std::vector<LibraryAlgorithm>>
  list(const CudnnEngine &lister, const EngineChoice &ready, int max,
       uint64_t scratchLimit) const;

  const CudnnLibrary &library;
  const CudnnProblem problem;

private:
  std::string keyOf(const EngineChoice &choice) const {
    return absl::StrCat(key, "; ", toString(choice));
  }
  /// Makes the engine, asks it, and releases it.
  absl::StatusOr<uint64_t> workspaceBytes(const EngineChoice &choice,
                                          Pointer &bare) const;

  const std::shared_ptr<const CudaContext> context;
  const std::shared_ptr<SparePool> spares;
  const std::string key; // of this problem's spares
};

} // namespace minic::runtime

#endif // MINIC_RUNTIME_DEVICE_CUDA_CUDNN_CUDNNENGINE_H
