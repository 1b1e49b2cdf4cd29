// SPDX-License-Identifier: Apache-2.0
//
// TuningSelector: the modes that measure. Uses the tuning database where it
// has a fresh record and searches where it does not; with --tune-replay a
// missing record is an error instead.

#ifndef MINIC_COMPILER_TUNE_TUNINGSELECTOR_H
#define MINIC_COMPILER_TUNE_TUNINGSELECTOR_H

#include "compiler/tune/MeasureLock.h"
#include "compiler/tune/ProcessWorker.h"
#include "compiler/tune/ScratchDirectory.h"
#include "compiler/tune/TuningTasks.h"
#include "compiler/tune/WholeModelCheck.h"

namespace minic::tune {

/// The programs that the tuner starts.
struct ToolPaths {
  std::string minic, worker;
  /// This program, and minic-worker in its folder.
  static ToolPaths ofThisProgram();
};

/// One per module and target: select, then optionally checkModel, then
/// writeReport. Prints AUTOTUNE tables to the log and progress to a terminal.
class TuningSelector : public kernel::AlgorithmSelector {
public:
  TuningSelector(const SelectionInputs &inputs, ToolPaths tools)
      : inputs(inputs), tools(std::move(tools)) {}

  mlir::FailureOr<std::vector<kernel::SelectedChoice>>
  select(llvm::ArrayRef<kernel::FusionOp> fusions) override;

  /// A folder for the artifacts of a whole-model check; lives as long as this.
  absl::StatusOr<std::string> scratchDirectory();

  /// Times two finished artifacts of the model, after select(). `planKey`
  /// names the pair; see planKeyOf. With --tune-replay only a stored verdict
  /// is used, and without one the tuned artifact ships.
  absl::StatusOr<Verdict> checkModel(const std::string &tunedPath,
                                     const std::string &defaultPath,
                                     const std::string &function,
                                     const std::string &planKey,
                                     const std::string &description);
  /// The stored verdict, if any: then neither artifact need be built.
  absl::StatusOr<std::optional<Verdict>>
  findVerdict(const std::string &planKey);

  /// To options.tuneReport, if given.
  absl::Status writeReport() const;

private:
  absl::Status openDb();
  absl::Status ensureScratch();
  /// Asks the worker which oneDNN it opens.
  void describeLibrary();
  /// currentVersions, with the library that was opened if one was.
  Versions versions() const;

  SelectionInputs inputs;
  ToolPaths tools;
  std::unique_ptr<ScratchDirectory> scratch;
  std::unique_ptr<MeasureLock> lock;
  std::unique_ptr<TuningDb> db;
  std::unique_ptr<ProcessWorker> worker;
  SteadyClock clock;
  double started = 0; // when select() was called
  /// Of the oneDNN that the worker opened, empty for none; unset: not asked.
  std::optional<std::string> libraryVersion;
  std::vector<TunedProblem> tuned;
  std::optional<Verdict> verdict;
};

/// What identifies a plan for a whole-model verdict: hash of the module with
/// its choices, of a fused module before and after selection alike.
std::string planKeyOf(mlir::ModuleOp tuned, mlir::ModuleOp byDefault);

} // namespace minic::tune

#endif // MINIC_COMPILER_TUNE_TUNINGSELECTOR_H
