// SPDX-License-Identifier: Apache-2.0
//
// PlanLoading: artifacts of whole models as plans that a worker has loaded.

#ifndef MINIC_COMPILER_TUNE_MODEL_PLANLOADING_H
#define MINIC_COMPILER_TUNE_MODEL_PLANLOADING_H

#include "compiler/tune/model/PlanContest.h"
#include "compiler/tune/model/WholeModelCheck.h"

namespace minic::tune {

/// Loads the artifact at `path` as plan `id`: the function and on the device
/// that `inputs` names. Errors as failureOf().
absl::StatusOr<runtime::LoadReply> loadPlan(const WholeModelInputs &inputs,
                                            Worker &worker,
                                            const std::string &id,
                                            const std::string &path);

/// Of a contest of such plans that may take `maxSeconds`.
PlanContest::Options contestOptions(const WholeModelInputs &inputs,
                                    double maxSeconds);

} // namespace minic::tune

#endif // MINIC_COMPILER_TUNE_MODEL_PLANLOADING_H
