// SPDX-License-Identifier: Apache-2.0
//
// TuningTasks: the fusions of a module as the tuner's problems, equal ones
// once, with the candidates that a target offers.

#ifndef MINIC_COMPILER_TUNE_BRIDGE_TUNINGTASKS_H
#define MINIC_COMPILER_TUNE_BRIDGE_TUNINGTASKS_H

#include "compiler/options/CompileOptions.h"
#include "compiler/target/Candidates.h"
#include "compiler/tune/search/TunedProblem.h"
#include "compiler/tune/search/TuningTask.h"
#include "dialects/kernel/AlgorithmSelector.h"

#include "mlir/IR/OwningOpRef.h"

namespace minic::tune {

class ShippedDb;

/// What selectors work with. Not owned.
struct SelectionInputs {
  const Target *target = nullptr;
  /// As createCpuTarget was given it.
  std::string isa;
  const CompileOptions *options = nullptr;
  /// Null: no shipped record is used.
  ShippedDb *shipped = nullptr;
};

/// What a row of a record must be to be chosen.
SelectionPolicy policyOf(const SelectionInputs &inputs);

struct TuningTasks {
  std::vector<TuningTask> tasks; // distinct problems
  /// For each fusion the index of its task.
  std::vector<size_t> taskOf;
  /// Parallel to tasks; what their writeExpected evaluates.
  std::vector<mlir::OwningOpRef<mlir::ModuleOp>> problems;
};

/// Brings the bodies of `fusions` into canonical order and makes their tasks.
/// A fusion that nothing implements is a diagnostic. The result refers to
/// itself: do not move it while tasks are worked on. `areMeasured`: candidates
/// are verified before they are chosen.
mlir::FailureOr<std::unique_ptr<TuningTasks>>
makeTasks(llvm::ArrayRef<kernel::FusionOp> fusions,
          const SelectionInputs &inputs, bool areMeasured);

/// The choice of a candidate just enumerated.
kernel::ChoiceAttr parseChoice(const CandidateSpec &candidate,
                               mlir::MLIRContext *context);

/// What select-algorithm is told of the row that `selection` picked in
/// `record`. `origin`: "tuned", "database" or "shipped". DataLoss, naming the
/// database, where the text of the choice is damaged.
absl::StatusOr<kernel::SelectedChoice>
recordedChoice(const Record &record, const Selection &selection,
               llvm::StringRef origin, const CompileOptions &options,
               mlir::MLIRContext *context);

/// Emits `status` as an error in the words that become the exit code.
mlir::LogicalResult emitStatus(mlir::MLIRContext *context,
                               const absl::Status &status);

/// One line for people about waiting, whatever the log says.
void notify(const std::string &line);

/// options.tuneDb or the default.
std::string databasePath(const CompileOptions &options);

/// Writes the text of every problem to options.dumpProblems, if given, as
/// <key>.mlir. PermissionDenied names the file.
absl::Status dumpProblems(const TuningTasks &tasks,
                          const CompileOptions &options);

} // namespace minic::tune

#endif // MINIC_COMPILER_TUNE_BRIDGE_TUNINGTASKS_H
