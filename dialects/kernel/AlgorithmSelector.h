// SPDX-License-Identifier: Apache-2.0
//
// The only interface through which the select-algorithm pass knows tuning.

#ifndef MINIC_DIALECTS_KERNEL_ALGORITHMSELECTOR_H
#define MINIC_DIALECTS_KERNEL_ALGORITHMSELECTOR_H

#include "dialects/kernel/Kernel.h"

namespace minic::kernel {

/// A choice and its origin; becomes the fusion's `provenance` attribute.
struct SelectedChoice {
  ChoiceAttr choice;
  /// "heuristic", "shipped", "database", "tuned", "pinned" or "fixture".
  std::string origin;
  /// The candidate's name, and the key of its problem; empty where unknown.
  std::string candidate, problem;
  /// Measured device time in microseconds; 0 where nothing was measured.
  double timeUs = 0;
  /// What it is expected to take by estimates; 0 where nothing says so.
  double expectedUs = 0;
  /// One line for people: who won by how much, or why nothing was measured.
  std::string reason;
  /// Largest error that verification saw: over its tolerance, and absolute.
  /// Negative where nothing was verified.
  double errorOverTolerance = -1, maxAbsoluteError = -1;
  /// The next best measured candidate (empty: none) and its time over ours.
  std::string runnerUp;
  double runnerUpRatio = 0;
};

/// Chooses implementations. All fusions of a module come in one call, so that
/// an implementation can build and measure their candidates side by side.
/// The returned list is parallel to `fusions`. Failure has emitted a
/// diagnostic. Called from one thread.
class AlgorithmSelector {
public:
  virtual ~AlgorithmSelector() = default;
  virtual mlir::FailureOr<std::vector<SelectedChoice>>
  select(llvm::ArrayRef<FusionOp> fusions) = 0;
};

} // namespace minic::kernel

#endif // MINIC_DIALECTS_KERNEL_ALGORITHMSELECTOR_H
