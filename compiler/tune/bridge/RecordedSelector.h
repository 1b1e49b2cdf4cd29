// SPDX-License-Identifier: Apache-2.0
//
// RecordedSelector: the base of selectors that use the tuning database. Beside
// the choices of its records it has those of generated kernels alone, and the
// verdicts of whole-model checks on plans made of them.

#ifndef MINIC_COMPILER_TUNE_BRIDGE_RECORDEDSELECTOR_H
#define MINIC_COMPILER_TUNE_BRIDGE_RECORDEDSELECTOR_H

#include "compiler/tune/bridge/DescentSpace.h"
#include "compiler/tune/bridge/TuningTasks.h"
#include "compiler/tune/model/WholeModelCheck.h"

namespace minic::tune {

/// Parallel to tasks: what shipped records choose.
using ShippedChoices = std::vector<std::optional<kernel::SelectedChoice>>;

/// One per module and target: select, then questions about its plans.
class RecordedSelector : public kernel::AlgorithmSelector {
public:
  const SelectionInputs &selection() const { return inputs; }
  /// After select(): whether a choice is of a record of the database.
  bool hasRecords() const;

  /// After select(), parallel to its fusions: choices of generated kernels
  /// alone that may be better in a whole model, in which kernels overlap and
  /// calls of libraries do not. Empty if libraries won nothing, or if no
  /// generated kernel comes close.
  const std::vector<kernel::SelectedChoice> &generatedChoices() const {
    return generated;
  }

  /// After select(): adds what was measured of `choice`, which estimates made
  /// for fusion number `fusion` of those. If there is no record, or no row for
  /// it, `choice` stays as it is.
  void addEvidence(size_t fusion, kernel::SelectedChoice &choice) const;

  /// After select(): the record that gave `fusion` its choice; null for none.
  const Record *recordOf(kernel::FusionOp fusion) const;
  /// Rows of a record that may be chosen and whose time is known.
  std::vector<const Row *> timedRows(const Record &record) const;

  /// What is asked about one function of the model: the inputs of a check
  /// except its artifacts. `plans`: all that are compared, without what a
  /// verdict does not depend on. The inputs have the versions of the sources
  /// that work in these plans; a change of other sources makes no verdict
  /// stale.
  WholeModelInputs modelInputs(const std::string &function,
                               llvm::ArrayRef<mlir::ModuleOp> plans,
                               bool plansDiffer) const;
  /// The stored verdicts on what `check` asks or, if `isNearestEnough`, on what
  /// comes closest (findNearestWholeModel).
  absl::StatusOr<std::optional<WholeModelResult>>
  findVerdicts(const WholeModelInputs &check, bool isNearestEnough);

  /// After select(), of the fusions of one function: what descent may change.
  DescentSpace descentSpace(llvm::ArrayRef<kernel::FusionOp> fusions) const;
  /// What descent is asked about one function, except how its plans are built.
  /// `plans` as in modelInputs().
  DescentInputs descentInputs(const std::string &function,
                              llvm::ArrayRef<mlir::ModuleOp> plans,
                              const DescentSpace &space) const;
  /// What descent is asked about forms of one function that merge other linears
  /// of one input, except how they are built: one problem, whose candidates are
  /// `names`. `forms`: the function fused in each, without choices. `chosen`:
  /// the first one with its choices.
  DescentInputs linearInputs(const std::string &function,
                             llvm::ArrayRef<mlir::ModuleOp> forms,
                             std::vector<std::string> names,
                             mlir::ModuleOp chosen) const;
  absl::StatusOr<std::optional<DescentResult>>
  findDescent(const DescentInputs &descent);

protected:
  explicit RecordedSelector(const SelectionInputs &inputs) : inputs(inputs) {}

  /// Opens `db`, if it is not open yet.
  absl::Status openDb(TuningDb::Access access);
  SelectionPolicy policy() const { return policyOf(inputs); }
  /// Choices of shipped records, for problems that the database does not know.
  mlir::FailureOr<ShippedChoices>
  shippedChoices(llvm::ArrayRef<TuningTask> tasks, mlir::MLIRContext *context);
  /// The versions that records must have.
  virtual Versions versions() const;
  /// Probes this machine once, when it is first called. Null if nothing is
  /// measured, and for a GPU, which the CPU's noise does not disturb.
  std::function<Noise()> noiseProbe() const;
  /// Fills `taskOf` and `generated`, from `tuned` and the winners.
  absl::Status chooseGenerated(const TuningTasks &tasks,
                               llvm::ArrayRef<kernel::SelectedChoice> winners,
                               mlir::MLIRContext *context);

  SelectionInputs inputs;
  std::unique_ptr<TuningDb> db; // null where there is none
  /// Parallel to the tasks; selection.row is -1 where the database has none.
  std::vector<TunedProblem> tuned;
  std::vector<size_t> taskOf; // parallel to the fusions, of `tuned`
  std::optional<WholeModelResult> verdicts; // found last
  std::optional<Verdict> descent;           // the same

private:
  /// Of what works in `plans`, and of `others`.
  Versions versionsOf(llvm::ArrayRef<mlir::ModuleOp> plans,
                      const std::set<std::string> &others = {}) const;

  std::vector<kernel::SelectedChoice> generated;
  mutable std::optional<Noise> probed;
};

} // namespace minic::tune

#endif // MINIC_COMPILER_TUNE_BRIDGE_RECORDEDSELECTOR_H
