// SPDX-License-Identifier: Apache-2.0
//
// EngineConfig: an EngineChoice as a descriptor of cuDNN's, and back.

#ifndef MINIC_RUNTIME_DEVICE_CUDA_CUDNN_ENGINECONFIG_H
#define MINIC_RUNTIME_DEVICE_CUDA_CUDNN_ENGINECONFIG_H

#include "runtime/device/cuda/cudnn/EngineText.h"
#include "runtime/device/cuda/cudnn/Frontend.h"

namespace minic::runtime {

/// Members throw what the frontend throws.
struct EngineConfig {
  fe::ManagedOpaqueDescriptor descriptor;

  /// InvalidArgument, with the reason alone, for an engine that `graph` does
  /// not have; Unimplemented for one that does not support it. `properties`:
  /// of the device, null where the graph has a handle.
  static absl::StatusOr<EngineConfig>
  create(const EngineChoice &choice, cudnnBackendDescriptor_t graph,
         std::shared_ptr<const fe::DeviceProperties> properties);

  /// Engine and knobs of a configuration that a heuristic gave.
  EngineChoice choice() const;
};

/// What a problem allows an engine to compute.
struct EngineNumerics {
  bool isF32, allowsTf32;

  /// Whether `config` rounds f32 to tf32 at most where it may, reduces in f32
  /// and transforms no data.
  bool allow(cudnnBackendDescriptor_t config) const;
};

} // namespace minic::runtime

#endif // MINIC_RUNTIME_DEVICE_CUDA_CUDNN_ENGINECONFIG_H
