// SPDX-License-Identifier: Apache-2.0
//
// Picks the selector; builds and times the two plans of the whole-model check.

#include "compiler/SelectAlgorithms.h"

#include "compiler/EstimateSelector.h"
#include "compiler/emit/EmitArtifact.h"
#include "compiler/tune/HeuristicSelector.h"
#include "compiler/tune/Problem.h"
#include "compiler/tune/TuningSelector.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace minic {

static LogicalResult report(ModuleOp module, const absl::Status &status) {
  if (status.ok()) {
    return success();
  }
  return emitError(UnknownLoc::get(module.getContext()))
         << std::string(status.message());
}

/// The fusions of a function, in order.
static SmallVector<kernel::FusionOp> fusionsOf(func::FuncOp function) {
  SmallVector<kernel::FusionOp> fusions;
  function.walk([&](kernel::FusionOp fusion) { fusions.push_back(fusion); });
  return fusions;
}

namespace {

/// Times each function of a module whose choices are tuned against the same
/// module with the estimator's choices.
class WholeModel {
public:
  WholeModel(ModuleOp tuned, const VariantTarget &variant,
             const CompileOptions &options, tune::TuningSelector &selector)
      : tuned(tuned), variant(variant), options(options), selector(selector) {}

  FailureOr<Verdicts> check(OwningOpRef<ModuleOp> fused);

private:
  LogicalResult estimate(ModuleOp fused);
  FailureOr<std::optional<tune::Verdict>> findOrMeasure(func::FuncOp function);
  LogicalResult build();
  LogicalResult build(ModuleOp module, const std::string &path);

  ModuleOp tuned;
  OwningOpRef<ModuleOp> byDefault;
  const VariantTarget &variant;
  const CompileOptions &options;
  tune::TuningSelector &selector;
  std::string tunedPath, defaultPath; // empty until they are built
};

} // namespace

/// Brings bodies into the order that tuned choices refer to, and chooses as if
/// there were no database.
LogicalResult WholeModel::estimate(ModuleOp fused) {
  SmallVector<kernel::FusionOp> fusions;
  fused.walk([&](kernel::FusionOp fusion) { fusions.push_back(fusion); });
  for (kernel::FusionOp fusion : fusions) {
    tune::canonicalizeBody(fusion);
  }
  EstimateSelector estimator(*variant.target, options);
  PipelineInputs inputs;
  inputs.target = variant.target.get();
  inputs.selector = &estimator;
  return runPhase(Phase::SelectAlgorithm, fused, inputs);
}

LogicalResult WholeModel::build(ModuleOp module, const std::string &path) {
  OwningOpRef<ModuleOp> copy = module.clone();
  PipelineInputs inputs;
  inputs.target = variant.target.get();
  inputs.inputAlignment = options.inputAlignment;
  EmitOptions emitOptions;
  emitOptions.durable = false;
  return success(succeeded(runTail(*copy, inputs)) &&
                 succeeded(emitArtifact(*copy, emitOptions, path)));
}

LogicalResult WholeModel::build() {
  if (!tunedPath.empty()) {
    return success();
  }
  absl::StatusOr<std::string> folder = selector.scratchDirectory();
  if (failed(report(tuned, folder.status()))) {
    return failure();
  }
  tunedPath = *folder + "/tuned.minic";
  defaultPath = *folder + "/default.minic";
  return success(succeeded(build(tuned, tunedPath)) &&
                 succeeded(build(*byDefault, defaultPath)));
}

/// What `plan` decides, without how it came to it.
static OwningOpRef<ModuleOp> withoutProvenance(ModuleOp plan) {
  OwningOpRef<ModuleOp> copy = plan.clone();
  copy->walk([](kernel::FusionOp fusion) { fusion->removeAttr("provenance"); });
  return copy;
}

FailureOr<std::optional<tune::Verdict>>
WholeModel::findOrMeasure(func::FuncOp function) {
  std::string name = function.getName().str();
  std::string key = tune::planKeyOf(*withoutProvenance(tuned),
                                    *withoutProvenance(*byDefault));
  key += "@" + name;
  absl::StatusOr<std::optional<tune::Verdict>> found =
      selector.findVerdict(key);
  if (failed(report(tuned, found.status()))) {
    return failure();
  }
  if (*found || options.tuneReplay) {
    return *found;
  }
  if (failed(build())) {
    return failure();
  }
  absl::StatusOr<tune::Verdict> measured =
      selector.checkModel(tunedPath, defaultPath, name, key, "@" + name);
  if (failed(report(tuned, measured.status()))) {
    return failure();
  }
  return std::optional(*measured);
}

FailureOr<Verdicts> WholeModel::check(OwningOpRef<ModuleOp> fused) {
  byDefault = std::move(fused);
  for (const auto *names : {&options.gemmBackends, &options.convBackends}) {
    if (options.deterministic && !names->empty() &&
        !llvm::is_contained(*names, toString(BackendLabel::Generated))) {
      // Which library calls are deterministic is only known once measured.
      return Verdicts();
    }
  }
  if (failed(estimate(*byDefault))) {
    return failure();
  }
  Verdicts verdicts;
  for (auto function : tuned.getOps<func::FuncOp>()) {
    auto other = byDefault->lookupSymbol<func::FuncOp>(function.getName());
    SmallVector<kernel::FusionOp> ours = fusionsOf(function);
    SmallVector<kernel::FusionOp> theirs = fusionsOf(other);
    auto sameChoice = [](auto pair) {
      return std::get<0>(pair).getChoiceAttr() ==
             std::get<1>(pair).getChoiceAttr();
    };
    std::string &text = verdicts[function.getName().str()];
    if (llvm::all_of(llvm::zip_equal(ours, theirs), sameChoice)) {
      text = "the tuned plan is the default one";
      continue;
    }
    FailureOr<std::optional<tune::Verdict>> verdict = findOrMeasure(function);
    if (failed(verdict)) {
      return failure();
    }
    if (!*verdict) {
      text = "not measured: no verdict in the database";
      continue;
    }
    text = tune::describe(**verdict);
    if ((*verdict)->tunedShips) {
      continue;
    }
    for (auto [mine, their] : llvm::zip_equal(ours, theirs)) {
      mine.setChoiceAttr(their.getChoiceAttr());
      mine->setAttr("provenance", their->getAttr("provenance"));
    }
  }
  return verdicts;
}

FailureOr<Verdicts> selectAlgorithms(ModuleOp module,
                                     const VariantTarget &variant,
                                     const CompileOptions &options,
                                     PhaseRunner &runner) {
  tune::SelectionInputs selection;
  selection.target = variant.target.get();
  selection.isa = variant.isa;
  selection.options = &options;
  PipelineInputs inputs;
  inputs.target = variant.target.get();
  if (!options.tune && !options.tuneReplay) {
    tune::HeuristicSelector selector(selection);
    inputs.selector = &selector;
    if (failed(runner.run(Phase::SelectAlgorithm, module, inputs))) {
      return failure();
    }
    return Verdicts();
  }
  OwningOpRef<ModuleOp> fused = module.clone();
  tune::TuningSelector selector(selection, tune::ToolPaths::ofThisProgram());
  inputs.selector = &selector;
  if (failed(runner.run(Phase::SelectAlgorithm, module, inputs))) {
    return failure();
  }
  FailureOr<Verdicts> verdicts = Verdicts();
  if (options.wholeModelCheck) {
    WholeModel whole(module, variant, options, selector);
    verdicts = whole.check(std::move(fused));
    if (failed(verdicts)) {
      return failure();
    }
    for (const auto &[function, text] : *verdicts) {
      options.log.line(LogTopic::Autotuning,
                       "whole model @" + function + ": " + text);
    }
  }
  if (failed(report(module, selector.writeReport()))) {
    return failure();
  }
  return verdicts;
}

} // namespace minic
