// SPDX-License-Identifier: Apache-2.0
//
// Plans are compared by their choices, looked up by their text, and built only
// where they have to be timed.

#include "compiler/driver/WholeModel.h"

#include "compiler/driver/GraphMode.h"
#include "compiler/driver/ModelDescent.h"
#include "compiler/driver/PlanChoices.h"
#include "compiler/tune/bridge/DefaultSelector.h"
#include "compiler/tune/bridge/Problem.h"
#include "dialects/graph/Graph.h"
#include "dialects/kernel/Provenance.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace minic {

static LogicalResult report(ModuleOp module, const absl::Status &status) {
  if (status.ok()) {
    return success();
  }
  return tune::emitStatus(module.getContext(), status);
}

/// Whether a library takes part in `plan`: its threads are a team of its own.
static bool callsLibrary(ModuleOp plan, const Target &target) {
  auto isCall = [&](kernel::PartAttr part) {
    StringRef source = part.getImplementation().getFamily();
    return llvm::any_of(target.libraries(), [&](const LibraryBackend *library) {
      return library->name() == source;
    });
  };
  return plan
      .walk([&](kernel::FusionOp fusion) {
        return llvm::any_of(fusion.getChoiceAttr().getParts(), isCall)
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Operands of a fusion that is one part, in a layout of their own, that are
/// not constant: each is copied by a command.
static int64_t countCopies(kernel::FusionOp fusion) {
  ArrayRef<kernel::PartAttr> parts = fusion.getChoiceAttr().getParts();
  if (parts.size() != 1) {
    return 0;
  }
  // A part's operands are in order of first use.
  llvm::SmallSetVector<BlockArgument, 8> arguments;
  fusion.getBody().walk([&](Operation *op) {
    for (Value operand : op->getOperands()) {
      if (auto argument = dyn_cast<BlockArgument>(operand)) {
        arguments.insert(argument);
      }
    }
  });
  int64_t count = 0;
  for (auto [argument, layout] :
       llvm::zip(arguments, parts.front().getOperands())) {
    Value input = fusion.getInputs()[argument.getArgNumber()];
    count +=
        !isa<UnitAttr>(layout) && !input.getDefiningOp<graph::ConstantOp>();
  }
  return count;
}

/// Each part is a command, or a few.
static int64_t countCommands(ArrayRef<kernel::FusionOp> fusions) {
  int64_t count = 0;
  for (kernel::FusionOp fusion : fusions) {
    count +=
        int64_t(fusion.getChoiceAttr().getParts().size()) + countCopies(fusion);
  }
  return count;
}

namespace {

/// The choices of default mode, with what records have measured of them.
class MeasuredDefaults : public kernel::AlgorithmSelector {
public:
  explicit MeasuredDefaults(const tune::RecordedSelector &records)
      : defaults(records.selection()), records(records) {}
  FailureOr<std::vector<kernel::SelectedChoice>>
  select(ArrayRef<kernel::FusionOp> fusions) override {
    auto choices = defaults.select(fusions);
    if (succeeded(choices)) {
      for (auto &&[i, choice] : llvm::enumerate(*choices)) {
        records.addEvidence(i, choice);
      }
    }
    return choices;
  }

private:
  tune::DefaultSelector defaults;
  const tune::RecordedSelector &records;
};

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

LogicalResult WholeModel::chooseOthers() {
  ScopedDiagnosticHandler quiet(tuned.getContext(),
                                [](Diagnostic &) { return success(); });
  MeasuredDefaults defaults(selector);
  KnownChoices known(selector.generatedChoices());
  return success(succeeded(choose(*byDefault, defaults)) &&
                 (!generated || succeeded(choose(*generated, known))));
}

LogicalResult WholeModel::build(Question question) {
  absl::StatusOr<std::string> folder = measurer->scratchDirectory();
  if (failed(report(tuned, folder.status()))) {
    return failure();
  }
  auto buildOnce = [&](ModuleOp module, std::string &path, const char *name) {
    if (!path.empty()) {
      return success();
    }
    path = *folder + name;
    return buildPlan(module, variant, options, path);
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

FailureOr<std::optional<tune::WholeModelResult>>
WholeModel::findOrMeasure(func::FuncOp function, Question question) {
  std::string name = function.getName().str();
  SmallVector<OwningOpRef<ModuleOp>> plans;
  plans.push_back(withoutProvenance(tuned));
  plans.push_back(withoutProvenance(*byDefault));
  if (question.hasGenerated) {
    plans.push_back(withoutProvenance(*generated));
  }
  tune::WholeModelInputs inputs = selector.modelInputs(
      name,
      llvm::map_to_vector(plans,
                          [](OwningOpRef<ModuleOp> &plan) { return *plan; }),
      question.plansDiffer);
  inputs.hasGenerated = question.hasGenerated;
  const Target &target = *variant.target;
  auto ofDefault = fusionsIn(*byDefault, function);
  inputs.defaultReplays =
      unmeasuredReplay(
          countCommands(ofDefault), int64_t(ofDefault.size()),
          callsLibrary(*byDefault, target),
          sumKnown(llvm::map_to_vector(ofDefault, kernel::expectedUs))) ==
      plan::Replay::Always;
  inputs.launchesNoMore = llvm::all_of(plans, [&](OwningOpRef<ModuleOp> &plan) {
    return countCommands(fusionsIn(*plan, function)) <=
           countCommands(ofDefault);
  });
  inputs.teamsDiffer =
      target.profile().threads > 1 &&
      callsLibrary(*plans[0], target) != callsLibrary(*plans[1], target);
  inputs.retune = measurer && options.retune;
  absl::StatusOr<std::optional<tune::WholeModelResult>> found =
      selector.findVerdicts(inputs, /*isNearestEnough=*/!measurer);
  if (failed(report(tuned, found.status()))) {
    return failure();
  }
  isMeasured = !*found && measurer;
  if (!isMeasured) {
    return *found;
  }
  if (failed(build(question))) {
    return failure();
  }
  inputs.tunedPath = tunedPath;
  inputs.defaultPath = defaultPath;
  inputs.generatedPath = generatedPath;
  absl::StatusOr<tune::WholeModelResult> measured =
      measurer->checkModel(std::move(inputs));
  if (failed(report(tuned, measured.status()))) {
    return failure();
  }
  return std::optional(*std::move(measured));
}

WholeModel::Fusions WholeModel::fusionsIn(ModuleOp plan,
                                          func::FuncOp function) const {
  return fusionsOf(plan.lookupSymbol<func::FuncOp>(function.getName()));
}

LogicalResult WholeModel::descend(Verdicts &verdicts) {
  ModelDescent descent(tuned, variant, options, selector, measurer);
  SmallVector<ModuleOp> others = {*byDefault};
  if (generated) {
    others.push_back(*generated);
  }
  auto functions = llvm::to_vector(tuned.getOps<func::FuncOp>());
  int left = int(functions.size());
  for (func::FuncOp function : functions) {
    FailureOr<std::string> found = descent.run(function, others, left--);
    if (failed(found)) {
      return failure();
    }
    verdicts[function.getName().str()].descent = *std::move(found);
  }
  return success();
}

WholeModel::Question WholeModel::ask(func::FuncOp function) {
  SmallVector<kernel::FusionOp> ours = fusionsOf(function);
  SmallVector<kernel::FusionOp> theirs = fusionsIn(*byDefault, function);
  Question question{.plansDiffer = !haveSameChoices(ours, theirs)};
  // One kernel alone was timed as it runs in the model.
  if (!generated || ours.size() < 2) {
    return question;
  }
  SmallVector<kernel::FusionOp> others = fusionsIn(*generated, function);
  if (!question.plansDiffer) {
    takeChoices(ours, others, "");
    question.plansDiffer = !haveSameChoices(ours, theirs);
    question.isGeneratedTuned = question.plansDiffer;
    return question;
  }
  question.hasGenerated = !haveSameChoices(ours, others);
  return question;
}

std::string WholeModel::describeUnknown(Question question, bool asksForGraph) {
  bool isDefault = !question.plansDiffer || question.isGeneratedTuned;
  return std::string("no verdict in the database: the ") +
         (isDefault ? "default" : "tuned") + " plan ships" +
         (asksForGraph ? ", replayed as where nothing was measured" : "");
}

/// How the plan that ships runs on a GPU.
static void describeWays(const tune::WholeModelResult &result,
                         ModelVerdict &text) {
  text.graphFigures = result.graph;
  text.whenIdleFigures = result.whenIdle;
  if (!result.graph) {
    return;
  }
  bool isWhenIdle = result.whenIdle && result.whenIdle->tunedShips;
  if (!isWhenIdle) {
    text.graphLoss = tune::describeLoss(*result.graph);
  }
  text.graph = isWhenIdle ? "replays a graph when its stream is idle, launches "
                            "when busy: "
                          : "";
  text.graph += tune::describe(*result.graph);
  if (result.whenIdle) {
    text.graph += "; " + tune::describe(*result.whenIdle);
  }
}

FailureOr<Verdicts> WholeModel::check(OwningOpRef<ModuleOp> fused) {
  if (!selector.generatedChoices().empty()) {
    generated = fused->clone();
  }
  byDefault = std::move(fused);
  if (failed(chooseOthers())) {
    return Verdicts();
  }
  Verdicts verdicts;
  if (failed(descend(verdicts))) {
    return failure();
  }
  // Asked of all functions before the first one is built with them.
  std::map<StringRef, Question> questions;
  for (auto function : tuned.getOps<func::FuncOp>()) {
    questions[function.getName()] = ask(function);
  }
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
      text.plans = describeUnknown(question, asksForGraph);
      if (question.isGeneratedTuned) {
        takeChoices(ours, theirs, "");
      }
      continue;
    }
    if (const std::optional<tune::Verdict> &found = (*result)->generated) {
      text.generated = tune::describe(*found);
      if (found->tunedShips) {
        takeChoices(ours, fusionsIn(*generated, function),
                    "ships because the whole model is faster with it");
      }
    }
    const std::optional<tune::Verdict> &plans = (*result)->plans;
    bool isTunedLost = (*result)->isTunedLost;
    if (!(*result)->failure.empty()) {
      text.plans = (*result)->failure +
                   (isTunedLost ? ": default ships" : ": tuned ships");
    }
    describeWays(**result, text);
    text.pointers = (*result)->pointers;
    text.update = (*result)->update;
    if (plans) {
      text.plans = isMeasured ? tune::describe(*plans)
                              : "from your database: " +
                                    tune::describe(*plans, "its plan",
                                                   "the default plan");
      isTunedLost = !plans->tunedShips;
    }
    if (isTunedLost) {
      text.isDefaultBetter = true;
      takeChoices(ours, theirs,
                  "ships because the tuned plan lost the whole-model check");
    }
  }
  return verdicts;
}

} // namespace minic
