// SPDX-License-Identifier: Apache-2.0
//
// WholeModel: which plan of each function ships, tuned, default or of generated
// kernels alone, and whether its graph is replayed: by verdicts of the tuning
// database, else by measuring, where that is allowed.

#ifndef MINIC_COMPILER_DRIVER_WHOLEMODEL_H
#define MINIC_COMPILER_DRIVER_WHOLEMODEL_H

#include "compiler/pipeline/PhaseRunner.h"
#include "compiler/pipeline/ResolveTarget.h"
#include "compiler/tune/bridge/TuningSelector.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <map>
#include <string>

namespace minic {

/// What the whole-model check found about one function.
struct ModelVerdict {
  /// For people: which linears of one input are one, choices changed in the
  /// whole model, generated kernels alone against libraries' as well, tuned
  /// against default, and the ways of running it; empty for what was not in
  /// question.
  std::string linears, descent, generated, plans, graph;
  /// The default plan ships because it was measured to be the better one.
  bool isDefaultBetter = false;
  /// A hint: by how much a captured graph lost, or why there is none.
  std::string graphLoss;
  /// Whether a graph is to be replayed, always or when the stream is idle, and
  /// the figures; none where nothing was measured.
  std::optional<tune::Verdict> graphFigures, whenIdleFigures;
  /// What was measured of changed pointers; see tune::WholeModelResult.
  std::optional<tune::Verdict> pointers, update;
};

/// By function; functions that were not checked are absent.
using Verdicts = std::map<std::string, ModelVerdict>;

/// Judges each function of a module whose choices are tuned against the same
/// module with those that default mode has with an empty database.
class WholeModel {
public:
  /// `selector` chose for `tuned`. `measurer` is the same one where verdicts
  /// that are missing are to be measured, else null.
  WholeModel(mlir::ModuleOp tuned, const VariantTarget &variant,
             const CompileOptions &options, tune::RecordedSelector &selector,
             tune::TuningSelector *measurer)
      : tuned(tuned), variant(variant), options(options), selector(selector),
        measurer(measurer) {}

  /// Gives functions of `tuned` other choices where these ship. First descent
  /// changes some of the tuned ones, then these are the tuned plan. `fused` is
  /// the module before any choice.
  mlir::FailureOr<Verdicts> check(mlir::OwningOpRef<mlir::ModuleOp> fused);

private:
  using Fusions = llvm::SmallVector<kernel::FusionOp>;
  /// Brings bodies into the order that tuned choices refer to, and chooses.
  mlir::LogicalResult choose(mlir::ModuleOp fused,
                             kernel::AlgorithmSelector &chooser);
  /// For the default plan and that of generated kernels. Fails without a
  /// diagnostic if there is no default plan, because the options allow only
  /// candidates that a measurement has approved.
  mlir::LogicalResult chooseOthers();
  /// Changes tuned choices, and says what was found.
  mlir::LogicalResult descend(Verdicts &verdicts);
  /// Of one function.
  struct Question {
    bool plansDiffer = false; // the tuned and the default one
    bool hasGenerated = false;
    /// The tuned plan is the default one, and that of generated kernels took
    /// its place.
    bool isGeneratedTuned = false;
  };
  Question ask(mlir::func::FuncOp function);
  /// What ships without a verdict.
  static std::string describeUnknown(Question question, bool asksForGraph);
  Fusions fusionsIn(mlir::ModuleOp plan, mlir::func::FuncOp function) const;
  mlir::FailureOr<std::optional<tune::WholeModelResult>>
  findOrMeasure(mlir::func::FuncOp function, Question question);
  mlir::LogicalResult build(Question question);

  mlir::ModuleOp tuned;
  /// No `generated`: there is none.
  mlir::OwningOpRef<mlir::ModuleOp> byDefault, generated;
  const VariantTarget &variant;
  const CompileOptions &options;
  tune::RecordedSelector &selector;
  tune::TuningSelector *measurer;
  /// Whether findOrMeasure() measured what it returned last.
  bool isMeasured = false;
  // Empty until they are built.
  std::string tunedPath, defaultPath, generatedPath;
};

} // namespace minic

#endif // MINIC_COMPILER_DRIVER_WHOLEMODEL_H
