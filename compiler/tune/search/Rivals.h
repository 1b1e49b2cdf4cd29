// SPDX-License-Identifier: Apache-2.0
//
// Rivals: rows of a record that may be better in a whole model than its winner,
// which is only the fastest alone.

#ifndef MINIC_COMPILER_TUNE_SEARCH_RIVALS_H
#define MINIC_COMPILER_TUNE_SEARCH_RIVALS_H

#include "compiler/tune/search/Selection.h"

namespace minic::tune {

struct RivalLimits {
  /// A rival takes at most so many times as long as the winner. A guess: twice
  /// the handicap that was seen to be made good (see chooseGenerated).
  double slower = 1.3;
  /// The same of rows of the winner's families and libraries.
  double slowerAlike = 1.3;
  /// The part of its time that a rival has to gain in the model on top of what
  /// it loses alone, for the model to become faster.
  double leastGain = 0;
  /// As many of the fastest; beside them only the fastest of each other set of
  /// families and libraries, because one family's schedules are much alike.
  int fastest = 3;
};

/// Indices of timed rows that `policy` allows, the fastest first. How much
/// longer a row takes is the low end of its interval, where it was in the
/// final. Empty if the winner was not timed.
std::vector<int> selectRivals(absl::Span<const Row> rows, int winner,
                              const SelectionPolicy &policy = {},
                              const RivalLimits &limits = {});

} // namespace minic::tune

#endif // MINIC_COMPILER_TUNE_SEARCH_RIVALS_H
