// SPDX-License-Identifier: Apache-2.0
//
// PointerContest: what one plan's captured graph costs if every run changes the
// pointers of its library calls.

#ifndef MINIC_COMPILER_TUNE_MODEL_POINTERCONTEST_H
#define MINIC_COMPILER_TUNE_MODEL_POINTERCONTEST_H

#include "compiler/tune/model/PlanContest.h"

#include <optional>
#include <string>

namespace minic::tune {

struct PointerFigures {
  Figures stageOverLaunch;
  /// Updating the graph in every run over the same pointers, which need no
  /// update; none where the graph cannot be updated, and why.
  std::optional<Figures> updateOverSame;
  std::string updateRefusal;
};

/// Times `plan`, which is loaded and nothing of which has entered `contest`.
/// Unimplemented says that there is nothing to choose from and why.
absl::StatusOr<PointerFigures> timeChangedPointers(PlanContest &contest,
                                                   const std::string &plan);

} // namespace minic::tune

#endif // MINIC_COMPILER_TUNE_MODEL_POINTERCONTEST_H
