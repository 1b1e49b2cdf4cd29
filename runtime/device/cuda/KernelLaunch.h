// SPDX-License-Identifier: Apache-2.0
//
// KernelModules: a variant's binaries, loaded, and launches made from them.

#ifndef MINIC_RUNTIME_DEVICE_CUDA_KERNELLAUNCH_H
#define MINIC_RUNTIME_DEVICE_CUDA_KERNELLAUNCH_H

#include "runtime/device/cuda/CudaHandle.h"
#include "runtime/format/ArtifactReader.h"

#include <map>
#include <memory>
#include <mutex>

namespace minic::runtime {

/// A launch as the driver takes it, parameters apart. Immutable once made.
struct KernelLaunch {
  CUfunction function = nullptr;
  unsigned grid[3] = {1, 1, 1};
  unsigned block[3] = {1, 1, 1};
  unsigned sharedBytes = 0;
  unsigned attributeCount = 0; // 0: cuLaunchKernel does
  CUlaunchAttribute attributes[2];
};

/// The modules are of the artifact's binaries, each loaded when first asked
/// for. Not thread-safe; the launches outlive it no longer than the modules.
class KernelModules {
public:
  /// Has the modules of `other`, of the same artifact and context, before
  /// anything was asked for: functions of an artifact are in one binary.
  void share(const KernelModules &other) { loaded = other.loaded; }

  KernelModules(std::shared_ptr<const CudaContext> context,
                const format::ArtifactReader &artifact)
      : context(std::move(context)), artifact(artifact) {}

  /// The context is current. `hasNeighbours`: other commands run before or
  /// behind it. FailedPrecondition where the device cannot do the launch or
  /// compile its PTX, DataLoss for a binary that is not what the plan says.
  absl::StatusOr<KernelLaunch> makeLaunch(const format::Launch &launch,
                                          bool hasNeighbours);

private:
  absl::StatusOr<CUmodule> module(uint32_t binary);
  absl::Status setShape(const format::Launch &launch, KernelLaunch &made) const;
  absl::Status setCluster(const format::Launch &launch,
                          KernelLaunch &made) const;
  absl::Status setShared(const format::Launch &launch,
                         KernelLaunch &made) const;
  absl::Status setCarveout(const format::Launch &launch,
                           KernelLaunch &made) const;
  absl::Status checkParams(const format::Launch &launch,
                           CUfunction function) const;

  const std::shared_ptr<const CudaContext> context;
  const format::ArtifactReader &artifact;
  /// Of all that share them, which threads of their own may load.
  struct Loaded {
    std::mutex mutex;
    std::map<uint32_t, CudaModule> modules; // by binary
  };
  std::shared_ptr<Loaded> loaded = std::make_shared<Loaded>();
};

} // namespace minic::runtime

#endif // MINIC_RUNTIME_DEVICE_CUDA_KERNELLAUNCH_H
