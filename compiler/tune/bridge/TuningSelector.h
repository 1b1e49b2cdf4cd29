// SPDX-License-Identifier: Apache-2.0
//
// TuningSelector: the modes that measure. Uses the tuning database where it
// has a fresh record and searches where it does not; with --tune-replay
// shipped records answer then, and what neither knows is an error.

#ifndef MINIC_COMPILER_TUNE_BRIDGE_TUNINGSELECTOR_H
#define MINIC_COMPILER_TUNE_BRIDGE_TUNINGSELECTOR_H

#include "compiler/tune/bridge/RecordedSelector.h"
#include "compiler/tune/process/Machine.h"
#include "compiler/tune/process/MeasureLock.h"
#include "compiler/tune/process/ScratchDirectory.h"
#include "runtime/measure/ClockLock.h"

#include <map>

namespace minic::tune {

/// One per model and target: select, then optionally checkModel, then
/// writeReport. After select for another form of the model, all that follows is
/// about that one; all searches share the budget. Prints AUTOTUNE tables to the
/// log, each once, and progress to a terminal.
class TuningSelector : public RecordedSelector {
public:
  /// `machine` outlives it.
  TuningSelector(const SelectionInputs &inputs, Machine &machine)
      : RecordedSelector(inputs), machine(machine),
        costsBefore(machine.requestCosts()) {}

  mlir::FailureOr<std::vector<kernel::SelectedChoice>>
  select(llvm::ArrayRef<kernel::FusionOp> fusions) override;

  /// A folder for the artifacts of a whole-model check; lives as long as this.
  absl::StatusOr<std::string> scratchDirectory();

  /// Times finished artifacts of the model, after select().
  absl::StatusOr<WholeModelResult> checkModel(WholeModelInputs check);

  /// Changes choices of one function and times the whole, after select().
  /// `functionsLeft`: how many share the time that is left, this one included.
  absl::StatusOr<DescentResult> descend(DescentInputs descent,
                                        int functionsLeft);

  /// One line: what the worker spent its seconds on since this was made, and
  /// how many everything after the first search took; empty if the worker was
  /// not asked. `checkSeconds`: of that in all.
  std::string describeCosts(double checkSeconds) const;

  /// What measuring each problem took that had no record, by its key; without
  /// the builders' work.
  const std::map<std::string, double> &tunedSeconds() const {
    return spentSeconds;
  }
  /// What a tune report says of everything so far.
  std::string report() const;
  /// To options.tuneReport, if given.
  absl::Status writeReport() const;

private:
  absl::Status ensureScratch();
  /// What descents may take in all.
  double mostDescentSeconds() const;
  /// Alone on the device, its clocks locked if that was asked.
  absl::Status ensureLock();
  absl::Status lockClocks();
  /// Asks the worker which oneDNN it opens.
  void describeLibrary();
  /// currentVersions, with the library that was opened if one was.
  Versions versions() const override;

  Machine &machine;
  const RequestCosts costsBefore;
  std::unique_ptr<ScratchDirectory> scratch;
  std::unique_ptr<MeasureLock> lock;
  std::unique_ptr<runtime::ClockLock> clocks; // ends before `lock`
  bool saidUnlocked = false;                  // that they cannot be locked
  SteadyClock clock;
  double started = 0;             // when select() was first called
  double searchSeconds = 0;       // of select(), all calls
  double formSeconds = 0;         // of all but the first one
  double checksSecondsLeft = 5;   // of checkModel, for all functions together
  double descentSeconds = 0;      // of descend(), spent
  double descentBuildSeconds = 0; // of these, spent to build plans
  int descentBuilds = 0;
  /// Keys of the problems whose tables were printed, and whether it was
  /// measured here.
  std::map<std::string, bool> shown;
  std::map<std::string, double> spentSeconds; // by problem
  /// Of the oneDNN that the worker opened, empty for none; unset: not asked.
  std::optional<std::string> libraryVersion;
};

} // namespace minic::tune

#endif // MINIC_COMPILER_TUNE_BRIDGE_TUNINGSELECTOR_H
