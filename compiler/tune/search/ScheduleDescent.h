// SPDX-License-Identifier: Apache-2.0
//
// ScheduleDescent: which schedules a search looks at after the screen: the
// neighbours of the fastest rows, then those of neighbours that were faster
// still. A pure function of the rows. (compiler/tune/model/Descent.h changes
// the choices of whole models.)

#ifndef MINIC_COMPILER_TUNE_SEARCH_SCHEDULEDESCENT_H
#define MINIC_COMPILER_TUNE_SEARCH_SCHEDULEDESCENT_H

#include "compiler/tune/search/ScheduleSpace.h"
#include "compiler/tune/search/Selection.h"

#include "absl/types/span.h"

namespace minic::tune {

struct ScheduleDescentPolicy {
  /// How many neighbours may be looked at for each candidate that was tried
  /// before; 0: no descent, infinity: until none helps.
  double share = 0;
  /// As many at least, where there is a share.
  double least = 0;
  /// Whether it belongs to searches that nobody asked to descend: a record
  /// without it is an answer, and one with it does not count as descended.
  bool isShort = false;
  /// Rows of the offered schedules that it begins with: the fastest.
  int starts = 3;
  /// Rows that are slower than the fastest of all by more than this factor are
  /// left alone.
  double slack = 1.25;
  /// A neighbour is gone on from if it is faster by this part, by two sittings
  /// in the screen.
  double gain = 0.01;
  /// Neighbours that are built at a time, at most.
  int atOnce = 4;
};

struct NextSteps {
  size_t from = 0;            // index of the row
  std::vector<size_t> points; // its neighbours without a row; not empty
};

/// Whether the row at `index` was found from another one and is faster than
/// that by `policy.gain`.
bool hasHelped(absl::Span<const Row> rows, size_t index,
               const ScheduleDescentPolicy &policy);

/// The neighbours to look at next: those of the fastest row that has some left.
/// Nothing where none does: no neighbour has helped.
std::optional<NextSteps> nextSteps(const ScheduleSpace &space,
                                   absl::Span<const Row> rows,
                                   const ScheduleDescentPolicy &policy,
                                   const SelectionPolicy &selection);

} // namespace minic::tune

#endif // MINIC_COMPILER_TUNE_SEARCH_SCHEDULEDESCENT_H
