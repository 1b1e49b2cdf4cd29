// SPDX-License-Identifier: Apache-2.0
//
// GraphPolicy: what a GPU's Execution is told of captured graphs, and what it
// tells. A CPU knows none.

#ifndef MINIC_RUNTIME_DEVICE_GRAPHPOLICY_H
#define MINIC_RUNTIME_DEVICE_GRAPHPOLICY_H

#include <cstdint>

namespace minic::runtime {

/// Which runs replay a captured graph.
enum class GraphMode {
  Artifact, // as it was measured
  Off,
  On,
  WhenIdle // those that find the stream idle, by an estimate
};

/// How runs go on with pointers other than those that library calls of a
/// captured graph are bound to. As it stands: where nothing was measured.
struct PointerPolicy {
  static constexpr int64_t never = INT64_MAX;
  /// Such tensors are copied to and from memory of a second graph's, its
  /// stages, where they take no more bytes together; else the commands are
  /// launched one by one. More is guessed to take longer to copy.
  uint64_t mostStagedBytes = 16 << 20;
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
