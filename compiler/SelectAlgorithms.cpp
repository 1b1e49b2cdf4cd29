// SPDX-License-Identifier: Apache-2.0
//
// Picks the selector; builds and times the two plans of the whole-model check.

#include "compiler/SelectAlgorithms.h"

#include "compiler/EstimateSelector.h"
#include "compiler/emit/EmitArtifact.h"
#include "compiler/tune/HeuristicSelector.h"
#include "compiler/tune/Problem.h"
#include "compiler/tune/TuningSelector.h"
#include "dialects/plan/Plan.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace minic {

static LogicalResult report(ModuleOp module, const absl::Status &status) {
  if (status.ok()) {
    return success();
  }
  return tune::emitStatus(module.getContext(), status);
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
  FailureOr<std::optional<tune::WholeModelResult>>
  findOrMeasure(func::FuncOp function, bool plansDiffer);
  LogicalResult build(bool plansDiffer);
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

LogicalResult WholeModel::build(bool plansDiffer) {
  absl::StatusOr<std::string> folder = selector.scratchDirectory();
  if (failed(report(tuned, folder.status()))) {
    return failure();
  }
  auto buildOnce = [&](ModuleOp module, std::string &path, const char *name) {
    if (!path.empty()) {
      return success();
    }
    path = *folder + name;
    return build(module, path);
  };
  if (failed(buildOnce(tuned, tunedPath, "/tuned.minic"))) {
    return failure();
  }
  return plansDiffer ? buildOnce(*byDefault, defaultPath, "/default.minic")
                     : success();
}

/// What `plan` decides, without how it came to it.
static OwningOpRef<ModuleOp> withoutProvenance(ModuleOp plan) {
  OwningOpRef<ModuleOp> copy = plan.clone();
  copy->walk([](kernel::FusionOp fusion) { fusion->removeAttr("provenance"); });
  return copy;
}

FailureOr<std::optional<tune::WholeModelResult>>
WholeModel::findOrMeasure(func::FuncOp function, bool plansDiffer) {
  std::string name = function.getName().str();
  std::string key = tune::planKeyOf(*withoutProvenance(tuned),
                                    *withoutProvenance(*byDefault));
  tune::WholeModelInputs inputs =
      selector.modelInputs(name, key + "@" + name, plansDiffer);
  absl::StatusOr<std::optional<tune::WholeModelResult>> found =
      selector.findVerdicts(inputs);
  if (failed(report(tuned, found.status()))) {
    return failure();
  }
  if (*found || options.tuneReplay) {
    return *found;
  }
  if (failed(build(plansDiffer))) {
    return failure();
  }
  inputs.tunedPath = tunedPath;
  inputs.defaultPath = defaultPath;
  absl::StatusOr<tune::WholeModelResult> measured =
      selector.checkModel(std::move(inputs));
  if (failed(report(tuned, measured.status()))) {
    return failure();
  }
  return std::optional(*std::move(measured));
}

FailureOr<Verdicts> WholeModel::check(OwningOpRef<ModuleOp> fused) {
  byDefault = std::move(fused);
  for (const auto *names : {&options.gemmBackends, &options.convBackends}) {
    if ((options.deterministic || options.propagateNan) && !names->empty() &&
        !llvm::is_contained(*names, toString(BackendLabel::Generated))) {
      // Which library calls are deterministic or keep a NaN is only known once
      // measured.
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
    ModelVerdict &text = verdicts[function.getName().str()];
    bool plansDiffer = !llvm::all_of(llvm::zip_equal(ours, theirs), sameChoice);
    if (!plansDiffer) {
      text.plans = "the tuned plan is the default one";
    }
    bool asksForGraph = variant.target->profile().isGpu() &&
                        options.cudaGraphs == CudaGraphs::Auto && !ours.empty();
    if (!plansDiffer && !asksForGraph) {
      continue;
    }
    FailureOr<std::optional<tune::WholeModelResult>> result =
        findOrMeasure(function, plansDiffer);
    if (failed(result)) {
      return failure();
    }
    if (!*result) {
      (plansDiffer ? text.plans : text.graph) =
          "not measured: no verdict in the database";
      continue;
    }
    const std::optional<tune::Verdict> &plans = (*result)->plans;
    bool isTunedLost = (*result)->isTunedLost;
    if (!(*result)->failure.empty()) {
      text.plans = (*result)->failure +
                   (isTunedLost ? ": default ships" : ": tuned ships");
    }
    text.graphFigures = (*result)->graph;
    if (text.graphFigures) {
      text.graph = tune::describe(*text.graphFigures);
      text.graphLoss = tune::describeLoss(*text.graphFigures);
    }
    if (plans) {
      text.plans = tune::describe(*plans);
      isTunedLost = !plans->tunedShips;
    }
    if (!isTunedLost) {
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
                                     PhaseRunner &runner,
                                     tune::Machine &machine) {
  tune::SelectionInputs selection;
  selection.target = variant.target.get();
  selection.isa = variant.isa;
  selection.options = &options;
  PipelineInputs inputs;
  inputs.target = variant.target.get();
  if (!asksTuner(variant, options)) {
    tune::HeuristicSelector selector(selection);
    inputs.selector = &selector;
    if (failed(runner.run(Phase::SelectAlgorithm, module, inputs))) {
      return failure();
    }
    return Verdicts();
  }
  OwningOpRef<ModuleOp> fused = module.clone();
  tune::TuningSelector selector(selection, machine);
  inputs.selector = &selector;
  if (failed(runner.run(Phase::SelectAlgorithm, module, inputs))) {
    return failure();
  }
  FailureOr<Verdicts> verdicts = Verdicts();
  tune::SteadyClock clock;
  double checkSeconds = 0;
  if (options.wholeModelCheck) {
    WholeModel whole(module, variant, options, selector);
    double begun = clock.now();
    verdicts = whole.check(std::move(fused));
    checkSeconds = clock.now() - begun;
    if (failed(verdicts)) {
      return failure();
    }
    for (const auto &[function, verdict] : *verdicts) {
      std::string model = "whole model @" + function + ": ";
      if (!verdict.plans.empty()) {
        options.log.line(LogTopic::Autotuning, model + verdict.plans);
      }
      if (!verdict.graph.empty()) {
        options.log.line(LogTopic::Graphs, model + verdict.graph);
      }
    }
  }
  if (std::string costs = selector.describeCosts(checkSeconds);
      !costs.empty()) {
    options.log.line(LogTopic::Autotuning, costs);
  }
  if (failed(report(module, selector.writeReport()))) {
    return failure();
  }
  return verdicts;
}

void setGraphVerdicts(ModuleOp plan, const Verdicts &verdicts) {
  Builder b(plan.getContext());
  for (auto function : plan.getOps<plan::FunctionOp>()) {
    auto found = verdicts.find(function.getSymName().str());
    if (found == verdicts.end() || !found->second.graphFigures) {
      continue;
    }
    const tune::Verdict &graph = *found->second.graphFigures;
    for (auto variant : function.getBody().getOps<plan::VariantOp>()) {
      variant.setGraphAttr(plan::GraphVerdictAttr::get(
          b.getContext(), graph.tunedShips,
          b.getF64FloatAttr(graph.backToBack.tunedUs),
          b.getF64FloatAttr(graph.backToBack.defaultUs),
          b.getF64FloatAttr(graph.call.tunedUs),
          b.getF64FloatAttr(graph.call.defaultUs)));
    }
  }
}

} // namespace minic
