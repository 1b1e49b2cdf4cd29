// SPDX-License-Identifier: Apache-2.0
//
// ModelDescent: the tuned choices of one function, changed where the whole
// model becomes faster: by a verdict of the tuning database, else by trying,
// where that is allowed.

#ifndef MINIC_COMPILER_DRIVER_MODELDESCENT_H
#define MINIC_COMPILER_DRIVER_MODELDESCENT_H

#include "compiler/options/CompileOptions.h"
#include "compiler/pipeline/ResolveTarget.h"
#include "compiler/tune/bridge/TuningSelector.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <string>

namespace minic {

/// For all functions of a module, in which no choice was changed since
/// `selector` made them.
class ModelDescent {
public:
  /// `measurer`: the same as `selector` where descents that are missing are to
  /// be made, else null.
  ModelDescent(mlir::ModuleOp tuned, const VariantTarget &variant,
               const CompileOptions &options, tune::RecordedSelector &selector,
               tune::TuningSelector *measurer)
      : tuned(tuned), variant(variant), options(options), selector(selector),
        measurer(measurer) {}

  /// Gives fusions of `function` other choices where these were found.
  /// `others`: modules with other plans of the same functions, which are tried
  /// as a whole. `functionsLeft`: this one, and those after it. What was found,
  /// for people; empty if nothing was in question.
  mlir::FailureOr<std::string> run(mlir::func::FuncOp function,
                                   llvm::ArrayRef<mlir::ModuleOp> others,
                                   int functionsLeft);

private:
  mlir::FailureOr<std::optional<tune::DescentResult>>
  findOrMeasure(tune::DescentInputs inputs, const tune::DescentSpace &space,
                mlir::func::FuncOp function, int functionsLeft);
  /// The artifact of `function` with these choices.
  absl::StatusOr<std::string> build(mlir::func::FuncOp function,
                                    const tune::DescentSpace &space,
                                    const tune::Choices &choices);
  mlir::LogicalResult apply(mlir::func::FuncOp function,
                            const tune::DescentSpace &space,
                            const tune::DescentResult &found);

  mlir::ModuleOp tuned;
  const VariantTarget &variant;
  const CompileOptions &options;
  tune::RecordedSelector &selector;
  tune::TuningSelector *measurer;
  int plansBuilt = 0;
};

} // namespace minic

#endif // MINIC_COMPILER_DRIVER_MODELDESCENT_H
