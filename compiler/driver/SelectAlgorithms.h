// SPDX-License-Identifier: Apache-2.0
//
// SelectAlgorithms: the phase select-algorithm with everything around it that
// the options ask for: database, tuning, and the whole-model check.

#ifndef MINIC_COMPILER_DRIVER_SELECTALGORITHMS_H
#define MINIC_COMPILER_DRIVER_SELECTALGORITHMS_H

#include "compiler/driver/LinearForms.h"
#include "compiler/driver/WholeModel.h"
#include "compiler/trace/CompileTrace.h"
#include "compiler/tune/bridge/ShippedDb.h"

#include <map>
#include <string>

namespace minic {

/// What the tuner saw of one target, for those who report it.
struct TunerEvidence {
  /// What measuring each problem took that had no record, by its key.
  std::map<std::string, double> tunedSeconds;
  trace::TuningTrace trace;
};

/// Gives every fusion of `module` its choice, except pinned ones, which have
/// theirs. If some choices come from tuning records, each function is then
/// judged with them against those that default mode has without, of shipped
/// records and of estimates, and keeps the faster ones. If all
/// are pinned, there is nothing to judge. Where the tuner is asked, functions
/// may take the form that they have in one of `forms`, and `seen`, if it is not
/// null, gets what the tuner saw.
mlir::FailureOr<Verdicts>
selectAlgorithms(mlir::ModuleOp module, const VariantTarget &target,
                 const CompileOptions &options, PhaseRunner &runner,
                 tune::Machine &machine, tune::ShippedDb &shipped,
                 llvm::ArrayRef<LinearForm> forms,
                 TunerEvidence *seen = nullptr);

/// Sets the graph verdict of the variants of `plan`'s functions, where one was
/// measured.
void setGraphVerdicts(mlir::ModuleOp plan, const Verdicts &verdicts);

} // namespace minic

#endif // MINIC_COMPILER_DRIVER_SELECTALGORITHMS_H
