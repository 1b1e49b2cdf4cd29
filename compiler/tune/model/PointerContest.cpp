// SPDX-License-Identifier: Apache-2.0
//
// Four contestants, of which two are compared with one other each.

#include "compiler/tune/model/PointerContest.h"

namespace minic::tune {

using runtime::ChangedPointers;

absl::StatusOr<PointerFigures> timeChangedPointers(PlanContest &contest,
                                                   const std::string &plan) {
  auto enter = [&](ChangedPointers changes) {
    return contest.enter(plan, runtime::RunMode::graph, /*runUs=*/0, changes);
  };
  absl::StatusOr<int> stage = enter(ChangedPointers::stage);
  absl::StatusOr<int> launch =
      stage.ok() ? enter(ChangedPointers::launch) : stage.status();
  absl::StatusOr<int> same =
      launch.ok() ? enter(ChangedPointers::none) : launch.status();
  if (!same.ok()) {
    return same.status();
  }
  PointerFigures figures;
  absl::StatusOr<int> update = enter(ChangedPointers::update);
  if (absl::IsUnimplemented(update.status())) {
    figures.updateRefusal = std::string(update.status().message());
  } else if (!update.ok()) {
    return update.status();
  }
  if (absl::Status status = contest.run(); !status.ok()) {
    return status;
  }
  figures.stageOverLaunch = contest.figures(*stage, *launch);
  if (update.ok()) {
    figures.updateOverSame = contest.figures(*update, *same);
  }
  return figures;
}

} // namespace minic::tune
