// SPDX-License-Identifier: Apache-2.0
//
// GraphPolicy: settings and counters of captured graphs in a GPU's Execution.
// CPUs have no graphs.

#ifndef MINIC_RUNTIME_DEVICE_GRAPHPOLICY_H
#define MINIC_RUNTIME_DEVICE_GRAPHPOLICY_H

#include <algorithm>
#include <cstdint>

namespace minic::runtime {

/// Which runs replay a captured graph.
enum class GraphMode {
  Artifact, // as it was measured
  Off,
  On,
  WhenIdle // those that find the stream idle, by an estimate
};

/// What a run does if library calls of the captured graph are bound to other
/// pointers than the run's. The defaults are for graphs that nobody measured.
struct PointerPolicy {
  static constexpr int64_t never = INT64_MAX;
  /// If such tensors take at most this many bytes together, a second graph
  /// copies them to and from memory of its own, its stages. Otherwise the
  /// commands are launched one by one, on the guess that copying takes longer.
  uint64_t mostStagedBytes = 16 << 20;
  /// The default for a program whose constants and arena take `ownBytes`: less
  /// than one percent of it for a guess, but 1 MiB in any case.
  static uint64_t mostStagedBeside(uint64_t ownBytes) {
    return std::clamp<uint64_t>(ownBytes / 128, 1 << 20, 16 << 20);
  }
  /// Runs on the same pointers before the graph is updated to them: a guess
  /// from some tens of microseconds for an update and two for a copy.
  int64_t runsBeforeUpdate = 8;
};

/// What the graph machinery has done, for tests and `minic-run --stats`.
struct GraphCounters {
  int64_t instantiations = 0, updates = 0, replays = 0, plainRuns = 0;
};

} // namespace minic::runtime

#endif // MINIC_RUNTIME_DEVICE_GRAPHPOLICY_H
