// SPDX-License-Identifier: Apache-2.0
//
// TuneReport: everything a tuning run saw, as JSON: every row of every problem
// with every sample, what was chosen and why.

#ifndef MINIC_COMPILER_TUNE_MODEL_TUNEREPORT_H
#define MINIC_COMPILER_TUNE_MODEL_TUNEREPORT_H

#include "compiler/tune/model/WholeModelCheck.h"
#include "compiler/tune/search/TunedProblem.h"

namespace minic::tune {

/// `verdicts` and `descent` may be null.
std::string formatReport(absl::Span<const TunedProblem> problems,
                         const WholeModelResult *verdicts,
                         const Verdict *descent = nullptr);

/// Writes the report to `path`, all of it or nothing. PermissionDenied names
/// the file.
absl::Status writeReport(const std::string &path, const std::string &report);

} // namespace minic::tune

#endif // MINIC_COMPILER_TUNE_MODEL_TUNEREPORT_H
