// SPDX-License-Identifier: Apache-2.0
//
// SelectAlgorithms: the phase select-algorithm with everything around it that
// the options ask for: database, tuning, and the whole-model check.

#ifndef MINIC_COMPILER_SELECTALGORITHMS_H
#define MINIC_COMPILER_SELECTALGORITHMS_H

#include "compiler/PhaseRunner.h"
#include "compiler/ResolveTarget.h"
#include "compiler/tune/Machine.h"
#include "compiler/tune/Record.h"

#include <map>
#include <string>

namespace minic {

/// What the whole-model check found about one function.
struct ModelVerdict {
  /// For people: generated kernels alone against libraries' as well, tuned
  /// against default, and graph against stream; empty for what was not in
  /// question.
  std::string generated, plans, graph;
  /// A hint: by how much a captured graph lost, or why there is none.
  std::string graphLoss;
  /// Whether a graph is to be replayed, and the figures; none where nothing was
  /// measured.
  std::optional<tune::Verdict> graphFigures;
};

/// By function; functions that were not checked are absent.
using Verdicts = std::map<std::string, ModelVerdict>;

/// Gives every fusion of `module` its choice. Where candidates are measured,
/// each function is then timed with the tuned choices against the estimator's,
/// and keeps the faster ones.
mlir::FailureOr<Verdicts> selectAlgorithms(mlir::ModuleOp module,
                                           const VariantTarget &target,
                                           const CompileOptions &options,
                                           PhaseRunner &runner,
                                           tune::Machine &machine);

/// Sets the graph verdict of the variants of `plan`'s functions, where one was
/// measured.
void setGraphVerdicts(mlir::ModuleOp plan, const Verdicts &verdicts);

} // namespace minic

#endif // MINIC_COMPILER_SELECTALGORITHMS_H
