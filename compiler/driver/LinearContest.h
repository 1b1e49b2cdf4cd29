// SPDX-License-Identifier: Apache-2.0
//
// LinearContest: which linears of one input each function of a model merges: by
// a verdict of the tuning database, else by timing whole models, where that is
// allowed.

#ifndef MINIC_COMPILER_DRIVER_LINEARCONTEST_H
#define MINIC_COMPILER_DRIVER_LINEARCONTEST_H

#include "compiler/driver/LinearForms.h"
#include "compiler/tune/bridge/TuningSelector.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <map>
#include <string>

namespace minic {

class LinearContest {
public:
  /// `tuned`: the form by the rule, for which `selector` chose last. `fused`:
  /// the same before that. `measures`: verdicts that are missing are measured.
  LinearContest(mlir::ModuleOp tuned, mlir::ModuleOp fused,
                llvm::ArrayRef<LinearForm> forms, const VariantTarget &variant,
                const CompileOptions &options, tune::TuningSelector &selector,
                bool measures)
      : tuned(tuned), fused(fused), forms(forms), variant(variant),
        options(options), selector(selector), measures(measures) {}

  /// Gives functions of `tuned` and `fused` the form that was faster. In any
  /// case `selector` then chose last for `tuned`. By function, what was found,
  /// for people.
  mlir::FailureOr<std::map<std::string, std::string>> run();

private:
  /// The form of one function, 0 for the rule's; what was found in `text`.
  mlir::FailureOr<int> choose(mlir::func::FuncOp function, int functionsLeft,
                              std::string &text);
  mlir::LogicalResult select(mlir::ModuleOp module);
  /// Of each form with its choices, once.
  mlir::LogicalResult selectAll();
  /// In the contest beside forms: what default mode ships, which is the rule's
  /// form, too. Without it another form would only have to be faster than the
  /// rule's with tuned choices, and these may be slower than default mode's.
  static constexpr int defaultMode = -1;
  mlir::FailureOr<mlir::ModuleOp> defaultPlan();
  absl::StatusOr<std::string> build(llvm::StringRef function, int form);

  mlir::ModuleOp tuned, fused;
  llvm::ArrayRef<LinearForm> forms;
  const VariantTarget &variant;
  const CompileOptions &options;
  tune::TuningSelector &selector;
  const bool measures;
  std::vector<mlir::OwningOpRef<mlir::ModuleOp>> selected; // as `forms`
  mlir::OwningOpRef<mlir::ModuleOp> byDefault; // null until it is asked for
  int plansBuilt = 0;
};

} // namespace minic

#endif // MINIC_COMPILER_DRIVER_LINEARCONTEST_H
