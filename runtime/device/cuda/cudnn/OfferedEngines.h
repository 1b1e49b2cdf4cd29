// SPDX-License-Identifier: Apache-2.0
//
// OfferedEngines: what all of cuDNN's heuristics list for a graph.

#ifndef MINIC_RUNTIME_DEVICE_CUDA_CUDNN_OFFEREDENGINES_H
#define MINIC_RUNTIME_DEVICE_CUDA_CUDNN_OFFEREDENGINES_H

#include "runtime/device/cuda/cudnn/CudnnGraph.h"

#include <optional>

namespace minic::runtime {

/// In the order of the heuristics, each engine once. A heuristic is asked when
/// those before it have no more. One thread at a time, the graph's.
class OfferedEngines {
public:
  /// `graph` outlives it.
  explicit OfferedEngines(const CudnnGraph &graph) : graph(graph) {}

  std::optional<EngineChoice> next();
  /// Once there is no next one: why there was none at all, where it is known.
  absl::Status status() const {
    return seen.empty() ? failure : absl::OkStatus();
  }

private:
  const CudnnGraph &graph;
  std::vector<EngineChoice> listed; // by the heuristic that was asked last
  size_t position = 0;              // in `listed`
  size_t asked = 0;                 // heuristics
  std::vector<std::string> seen;
  absl::Status failure;
};

} // namespace minic::runtime

#endif // MINIC_RUNTIME_DEVICE_CUDA_CUDNN_OFFEREDENGINES_H
