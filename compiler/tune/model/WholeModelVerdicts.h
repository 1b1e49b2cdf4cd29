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

/// The same of descent. It does not say in which ways plans may run: what is
/// found in one of them is checked in all that are asked for.
std::string descentKey(const WholeModelInputs &inputs);

/// Whether what ships replays a graph, in whatever runs.
bool replaysGraph(const WholeModelInputs &inputs,
                  const WholeModelResult &result);

/// The stored verdicts of this plan, if all are there. Those of a provisional
/// check do not count if `inputs` says that another check is worth it.
absl::StatusOr<std::optional<WholeModelResult>>
findWholeModel(const WholeModelInputs &inputs, TuningDb &db);

/// The same for callers that measure nothing. If there is no verdict on the
/// ways of running that `inputs` asks for, one on all ways says which plan
/// ships, else one on streams. Neither says anything about a graph then.
absl::StatusOr<std::optional<WholeModelResult>>
findNearestWholeModel(const WholeModelInputs &inputs, TuningDb &db);

/// Stores a verdict under its key. If it is provisional and would replace one
/// that had less noise, the old one stays, counts one check more, and is put
/// into `verdict`.
absl::Status storeVerdict(Verdict &verdict, TuningDb &db);

/// The same of all verdicts in `result`.
absl::Status storeWholeModel(WholeModelResult &result, TuningDb &db);

} // namespace minic::tune

#endif // MINIC_COMPILER_TUNE_MODEL_WHOLEMODELVERDICTS_H
