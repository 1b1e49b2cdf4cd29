// SPDX-License-Identifier: Apache-2.0
//
// KernelModules: a variant's binaries, loaded, and launches made from them.

#ifndef MINIC_RUNTIME_DEVICE_CUDA_KERNELLAUNCH_H
#define MINIC_RUNTIME_DEVICE_CUDA_KERNELLAUNCH_H

#include "runtime/device/cuda/CudaHandle.h"
#include "runtime/format/ArtifactReader.h"

#include <map>

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
  std::map<uint32_t, CudaModule> modules; // by binary
};

} // namespace minic::runtime

#endif // MINIC_RUNTIME_DEVICE_CUDA_KERNELLAUNCH_H
