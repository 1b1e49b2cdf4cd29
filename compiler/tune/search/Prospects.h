// SPDX-License-Identifier: Apache-2.0
//
// Prospects: which candidates a search looks at first, and which of the others
// may still win once those are timed.
//
// Background: an estimate ranks candidates of one kind (a family's kernels of
// one tile) well, but is off by a factor that differs from kind to kind.
// Approach: a few of each kind are timed first. What they took over their
// estimates, at best, is the factor of the kind; whatever would be clearly
// slower than the fastest even with that factor is not built.

#ifndef MINIC_COMPILER_TUNE_SEARCH_PROSPECTS_H
#define MINIC_COMPILER_TUNE_SEARCH_PROSPECTS_H

#include "absl/types/span.h"

#include <string>
#include <vector>

namespace minic::tune {

struct Prospect {
  /// Estimates of one kind are off alike; empty: the estimate says nothing, so
  /// that the candidate is always looked at.
  std::string kind;
  double estimateUs = 0; // as it is fitted to the device
  double screenUs = 0;   // 0: not timed
};

struct ProspectPolicy {
  /// Candidates with a kind that are looked at first, and of each kind. What
  /// these numbers lose was tried on records of 91 linears
  /// (docs/measurements/2026-11-29-h200.md).
  size_t first = 10, firstOfKind = 3;
  /// Candidates of each family (the first word of a kind) that are looked at,
  /// if those in `first` are fewer. Each family's estimates have their own
  /// error.
  size_t firstOfFamily = 3;
  /// A candidate may be this much slower than the fastest by its estimate.
  double slack = 1.1;
  /// Every candidate is looked at, whatever its estimate.
  bool isExhaustive = false;
};

/// By candidate: whether it is among the first to be looked at. Earlier ones
/// are preferred: candidates come best estimate first.
std::vector<bool> firstToLookAt(absl::Span<const Prospect> prospects,
                                const ProspectPolicy &policy = {});

/// Whether candidate `i` may be among the fastest, by its estimate and what the
/// others took. True where nothing was timed.
bool isPromising(absl::Span<const Prospect> prospects, size_t i,
                 const ProspectPolicy &policy = {});

} // namespace minic::tune

#endif // MINIC_COMPILER_TUNE_SEARCH_PROSPECTS_H
