// SPDX-License-Identifier: Apache-2.0
//
// WholeModelVerdicts: what a whole-model check said, in the tuning database: a
// row for each question, all under the hash of the plans and the ways of
// running them that were asked for.

#ifndef MINIC_COMPILER_TUNE_MODEL_WHOLEMODELVERDICTS_H
#define MINIC_COMPILER_TUNE_MODEL_WHOLEMODELVERDICTS_H

#include "compiler/tune/model/WholeModelCheck.h"

namespace minic::tune {

/// Verdict::plan of a row, one of its `k...Row`.
std::string verdictKey(const WholeModelInputs &inputs, absl::string_view row);

/// Whether what ships replays a graph, in whatever runs.
bool replaysGraph(const WholeModelInputs &inputs,
                  const WholeModelResult &result);

/// The stored verdicts of this plan, if they are all there. Those of a check
/// that ended provisional are not, where `inputs` says that it is worth
/// another.
absl::StatusOr<std::optional<WholeModelResult>>
findWholeModel(const WholeModelInputs &inputs, TuningDb &db);

/// The same for who measures nothing: without a verdict on the ways of running
/// that `inputs` asks for, which plan ships is taken from one on all ways, else
/// on streams. Nothing is taken over of a graph.
absl::StatusOr<std::optional<WholeModelResult>>
findNearestWholeModel(const WholeModelInputs &inputs, TuningDb &db);

/// Under the keys that the verdicts have. Where a provisional one would take
/// the place of one that had less noise, that one stays, with one check more,
/// and `result` gets it.
absl::Status storeWholeModel(WholeModelResult &result, TuningDb &db);

} // namespace minic::tune

#endif // MINIC_COMPILER_TUNE_MODEL_WHOLEMODELVERDICTS_H
