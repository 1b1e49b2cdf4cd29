// SPDX-License-Identifier: Apache-2.0
//
// SelectAlgorithms: the phase select-algorithm with everything around it that
// the options ask for: database, tuning, and the whole-model check.

#ifndef MINIC_COMPILER_SELECTALGORITHMS_H
#define MINIC_COMPILER_SELECTALGORITHMS_H

#include "compiler/PhaseRunner.h"
#include "compiler/ResolveTarget.h"

#include <map>
#include <string>

namespace minic {

/// Verdicts of the whole-model check by function, for people; functions that
/// were not checked are absent.
using Verdicts = std::map<std::string, std::string>;

/// Gives every fusion of `module` its choice. Where candidates are measured,
/// each function is then timed with the tuned choices against the estimator's,
/// and keeps the faster ones.
mlir::FailureOr<Verdicts> selectAlgorithms(mlir::ModuleOp module,
                                           const VariantTarget &target,
                                           const CompileOptions &options,
                                           PhaseRunner &runner);

} // namespace minic

#endif // MINIC_COMPILER_SELECTALGORITHMS_H
