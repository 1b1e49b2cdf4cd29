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

/// Gives the fusions of `mine` the choices of `theirs`.
static void takeChoices(ArrayRef<kernel::FusionOp> mine,
                        ArrayRef<kernel::FusionOp> theirs) {
  for (auto [ours, other] : llvm::zip_equal(mine, theirs)) {
    kernel::FusionOp fusion = ours, from = other;
    fusion.setChoiceAttr(from.getChoiceAttr());
    fusion->setAttr("provenance", from->getAttr("provenance"));
  }
}

static bool haveSameChoices(ArrayRef<kernel::FusionOp> mine,
                            ArrayRef<kernel::FusionOp> theirs) {
  return llvm::all_of(llvm::zip_equal(mine, theirs), [](auto pair) {
    kernel::FusionOp first = std::get<0>(pair), second = std::get<1>(pair);
    return first.getChoiceAttr() == second.getChoiceAttr();
  });
}

namespace {

/// Says what it was told.
class KnownChoices : public kernel::AlgorithmSelector {
public:
  explicit KnownChoices(ArrayRef<kernel::SelectedChoice> choices)
      : choices(choices) {}
  FailureOr<std::vector<kernel::SelectedChoice>>
  select(ArrayRef<kernel::FusionOp>) override {
    return choices.vec();
  }

private:
  ArrayRef<kernel::SelectedChoice> choices;
};

/// Times each function of a module whose choices are tuned against the same
/// module with the estimator's choices.
class WholeModel {
public:
  WholeModel(ModuleOp tuned, const VariantTarget &variant,
             const CompileOptions &options, tune::TuningSelector &selector)
      : tuned(tuned), variant(variant), options(options), selector(selector) {}

  FailureOr<Verdicts> check(OwningOpRef<ModuleOp> fused);

private:
  /// Brings bodies into the order that tuned choices refer to, and chooses.
  LogicalResult choose(ModuleOp fused, kernel::AlgorithmSelector &chooser);
  /// Of one function; `plansDiffer`: the tuned and the default one.
  struct Question {
    bool plansDiffer = false, hasGenerated = false;
  };
  /// What is to be asked of `function`. Where the tuned plan is the default
  /// one, that of generated kernels becomes the tuned one.
  Question ask(func::FuncOp function);
  SmallVector<kernel::FusionOp> fusionsIn(ModuleOp plan,
                                          func::FuncOp function) const;
  FailureOr<std::optional<tune::WholeModelResult>>
  findOrMeasure(func::FuncOp function, Question question);
  LogicalResult build(Question question);
  LogicalResult build(ModuleOp module, const std::string &path);

  ModuleOp tuned;
  OwningOpRef<ModuleOp> byDefault, generated; // no `generated`: there is none
  const VariantTarget &variant;
  const CompileOptions &options;
  tune::TuningSelector &selector;
  // Empty until they are built.
  std::string tunedPath, defaultPath, generatedPath;
};

} // namespace

LogicalResult WholeModel::choose(ModuleOp fused,
                                 kernel::AlgorithmSelector &chooser) {
  SmallVector<kernel::FusionOp> fusions;
  fused.walk([&](kernel::FusionOp fusion) { fusions.push_back(fusion); });
  for (kernel::FusionOp fusion : fusions) {
    tune::canonicalizeBody(fusion);
  }
  PipelineInputs inputs;
  inputs.target = variant.target.get();
  inputs.selector = &chooser;
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

LogicalResult WholeModel::build(Question question) {
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
  if (question.hasGenerated &&
      failed(buildOnce(*generated, generatedPath, "/generated.minic"))) {
    return failure();
  }
  return question.plansDiffer
             ? buildOnce(*byDefault, defaultPath, "/default.minic")
             : success();
}

/// What `plan` decides, without how it came to it.
static OwningOpRef<ModuleOp> withoutProvenance(ModuleOp plan) {
  OwningOpRef<ModuleOp> copy = plan.clone();
  copy->walk([](kernel::FusionOp fusion) { fusion->removeAttr("provenance"); });
  return copy;
}

FailureOr<std::optional<tune::WholeModelResult>>
WholeModel::findOrMeasure(func::FuncOp function, Question question) {
  std::string name = function.getName().str();
  SmallVector<OwningOpRef<ModuleOp>> plans;
  plans.push_back(withoutProvenance(tuned));
  plans.push_back(withoutProvenance(*byDefault));
  if (question.hasGenerated) {
    plans.push_back(withoutProvenance(*generated));
  }
  std::string key = tune::planKeyOf(llvm::map_to_vector(
      plans, [](OwningOpRef<ModuleOp> &plan) { return *plan; }));
  tune::WholeModelInputs inputs =
      selector.modelInputs(name, key + "@" + name, question.plansDiffer);
  inputs.hasGenerated = question.hasGenerated;
  absl::StatusOr<std::optional<tune::WholeModelResult>> found =
      selector.findVerdicts(inputs);
  if (failed(report(tuned, found.status()))) {
    return failure();
  }
  if (*found || options.tuneReplay) {
    return *found;
  }
  if (failed(build(question))) {
    return failure();
  }
  inputs.tunedPath = tunedPath;
  inputs.defaultPath = defaultPath;
  inputs.generatedPath = generatedPath;
  absl::StatusOr<tune::WholeModelResult> measured =
      selector.checkModel(std::move(inputs));
  if (failed(report(tuned, measured.status()))) {
    return failure();
  }
  return std::optional(*std::move(measured));
}

SmallVector<kernel::FusionOp>
WholeModel::fusionsIn(ModuleOp plan, func::FuncOp function) const {
  return fusionsOf(plan.lookupSymbol<func::FuncOp>(function.getName()));
}

WholeModel::Question WholeModel::ask(func::FuncOp function) {
  SmallVector<kernel::FusionOp> ours = fusionsOf(function);
  SmallVector<kernel::FusionOp> theirs = fusionsIn(*byDefault, function);
  Question question{!haveSameChoices(ours, theirs), false};
  // One kernel alone was timed as it runs in the model.
  if (!generated || ours.size() < 2) {
    return question;
  }
  SmallVector<kernel::FusionOp> others = fusionsIn(*generated, function);
  if (!question.plansDiffer) {
    takeChoices(ours, others);
    question.plansDiffer = !haveSameChoices(ours, theirs);
    return question;
  }
  question.hasGenerated = !haveSameChoices(ours, others);
  return question;
}

FailureOr<Verdicts> WholeModel::check(OwningOpRef<ModuleOp> fused) {
  if (!selector.generatedChoices().empty()) {
    generated = fused->clone();
  }
  byDefault = std::move(fused);
  for (const auto *names : {&options.gemmBackends, &options.convBackends}) {
    if ((options.deterministic || options.propagateNan) && !names->empty() &&
        !llvm::is_contained(*names, toString(BackendLabel::Generated))) {
      // Which library calls are deterministic or keep a NaN is only known once
      // measured.
      return Verdicts();
    }
  }
  EstimateSelector estimator(*variant.target, options);
  KnownChoices known(selector.generatedChoices());
  if (failed(choose(*byDefault, estimator)) ||
      (generated && failed(choose(*generated, known)))) {
    return failure();
  }
  // Asked of all functions before the first one is built with them.
  std::map<StringRef, Question> questions;
  for (auto function : tuned.getOps<func::FuncOp>()) {
    questions[function.getName()] = ask(function);
  }
  Verdicts verdicts;
  for (auto function : tuned.getOps<func::FuncOp>()) {
    SmallVector<kernel::FusionOp> ours = fusionsOf(function);
    SmallVector<kernel::FusionOp> theirs = fusionsIn(*byDefault, function);
    Question question = questions[function.getName()];
    ModelVerdict &text = verdicts[function.getName().str()];
    if (!question.plansDiffer) {
      text.plans = "the tuned plan is the default one";
    }
    bool asksForGraph = variant.target->profile().isGpu() &&
                        options.cudaGraphs == CudaGraphs::Auto && !ours.empty();
    if (!question.plansDiffer && !asksForGraph) {
      continue;
    }
    FailureOr<std::optional<tune::WholeModelResult>> result =
        findOrMeasure(function, question);
    if (failed(result)) {
      return failure();
    }
    if (!*result) {
      (question.plansDiffer ? text.plans : text.graph) =
          "not measured: no verdict in the database";
      continue;
    }
    if (const std::optional<tune::Verdict> &found = (*result)->generated) {
      text.generated = tune::describe(*found);
      if (found->tunedShips) {
        takeChoices(ours, fusionsIn(*generated, function));
      }
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
    if (isTunedLost) {
      takeChoices(ours, theirs);
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
      for (const std::string &line : {verdict.generated, verdict.plans}) {
        if (!line.empty()) {
          options.log.line(LogTopic::Autotuning, model + line);
        }
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
