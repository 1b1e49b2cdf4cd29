// SPDX-License-Identifier: Apache-2.0
//
// TuningSelector: the modes that measure. Uses the tuning database where it
// has a fresh record and searches where it does not; with --tune-replay a
// missing record is an error instead.

#ifndef MINIC_COMPILER_TUNE_TUNINGSELECTOR_H
#define MINIC_COMPILER_TUNE_TUNINGSELECTOR_H

#include "compiler/tune/Machine.h"
#include "compiler/tune/MeasureLock.h"
#include "compiler/tune/ScratchDirectory.h"
#include "compiler/tune/TuningTasks.h"
#include "compiler/tune/WholeModelCheck.h"

namespace minic::tune {

/// One per module and target: select, then optionally checkModel, then
/// writeReport. Prints AUTOTUNE tables to the log and progress to a terminal.
class TuningSelector : public kernel::AlgorithmSelector {
public:
  /// `machine` outlives it.
  TuningSelector(const SelectionInputs &inputs, Machine &machine)
      : inputs(inputs), machine(machine), costsBefore(machine.requestCosts()) {}

  mlir::FailureOr<std::vector<kernel::SelectedChoice>>
  select(llvm::ArrayRef<kernel::FusionOp> fusions) override;

  /// After select(), parallel to its fusions: choices of generated kernels
  /// alone that may be better in a whole model, in which kernels overlap and
  /// calls of libraries do not. Empty where libraries won nothing, or nobody
  /// comes close.
  const std::vector<kernel::SelectedChoice> &generatedChoices() const {
    return generated;
  }

  /// A folder for the artifacts of a whole-model check; lives as long as this.
  absl::StatusOr<std::string> scratchDirectory();

  /// What is asked about one function of the model: the inputs of a check but
  /// for its artifacts. `planKey` names both plans; see planKeyOf.
  WholeModelInputs modelInputs(const std::string &function,
                               const std::string &planKey,
                               bool plansDiffer) const;
  /// The stored verdicts, if they are all there: then no artifact need be
  /// built. With --tune-replay nothing else is used.
  absl::StatusOr<std::optional<WholeModelResult>>
  findVerdicts(const WholeModelInputs &check);
  /// Times finished artifacts of the model, after select().
  absl::StatusOr<WholeModelResult> checkModel(WholeModelInputs check);

  /// One line: where the seconds went that the worker was asked for since this
  /// was made, and those of a whole-model check; empty where it was not asked.
  std::string describeCosts(double checkSeconds) const;

  /// To options.tuneReport, if given.
  absl::Status writeReport() const;

private:
  /// Fills `generated`, from `tuned` and the winners.
  absl::Status chooseGenerated(const TuningTasks &tasks,
                               llvm::ArrayRef<kernel::SelectedChoice> winners,
                               mlir::MLIRContext *context);
  absl::Status openDb();
  absl::Status ensureScratch();
  absl::Status ensureLock();
  /// Asks the worker which oneDNN it opens.
  void describeLibrary();
  /// currentVersions, with the library that was opened if one was.
  Versions versions() const;

  SelectionInputs inputs;
  Machine &machine;
  const RequestCosts costsBefore;
  std::unique_ptr<ScratchDirectory> scratch;
  std::unique_ptr<MeasureLock> lock;
  std::unique_ptr<TuningDb> db;
  SteadyClock clock;
  double started = 0;           // when select() was called
  double checksSecondsLeft = 5; // of checkModel, for all functions together
  /// Of the oneDNN that the worker opened, empty for none; unset: not asked.
  std::optional<std::string> libraryVersion;
  std::vector<TunedProblem> tuned;
  std::vector<kernel::SelectedChoice> generated;
  std::optional<WholeModelResult> verdicts;
};

/// What identifies plans for a whole-model verdict: hash of the modules with
/// their choices.
std::string planKeyOf(llvm::ArrayRef<mlir::ModuleOp> plans);

} // namespace minic::tune

#endif // MINIC_COMPILER_TUNE_TUNINGSELECTOR_H
