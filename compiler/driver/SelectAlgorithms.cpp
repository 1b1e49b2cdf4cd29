// SPDX-License-Identifier: Apache-2.0
//
// Picks the selector; then the whole model is judged.

#include "compiler/driver/SelectAlgorithms.h"

#include "compiler/driver/LinearContest.h"
#include "compiler/driver/SharedLayouts.h"
#include "compiler/tune/bridge/HeuristicSelector.h"
#include "compiler/tune/model/PlanWays.h"
#include "dialects/plan/Plan.h"

using namespace mlir;

namespace minic {

static void logVerdicts(const Verdicts &verdicts, const Log &log) {
  for (const auto &[function, verdict] : verdicts) {
    std::string model = "whole model @" + function + ": ";
    if (!verdict.linears.empty()) {
      log.line(LogTopic::Autotuning,
               model + "linears of one input: " + verdict.linears);
    }
    if (!verdict.descent.empty()) {
      log.line(LogTopic::Autotuning, model + "descent: " + verdict.descent);
    }
    for (const std::string &line : {verdict.generated, verdict.plans}) {
      if (!line.empty()) {
        log.line(LogTopic::Autotuning, model + line);
      }
    }
    if (!verdict.graph.empty()) {
      log.line(LogTopic::Graphs, model + verdict.graph);
    }
  }
}

/// Whether there is something to choose: pins have not chosen all.
static bool isOpen(ModuleOp module) {
  bool isOpen = false;
  module.walk(
      [&](kernel::FusionOp fusion) { isOpen |= !fusion.getChoiceAttr(); });
  return isOpen;
}

FailureOr<Verdicts>
selectAlgorithms(ModuleOp module, const VariantTarget &variant,
                 const CompileOptions &options, PhaseRunner &runner,
                 tune::Machine &machine, tune::ShippedDb &shipped,
                 ArrayRef<LinearForm> forms, TunerEvidence *seen) {
  tune::SelectionInputs selection;
  selection.target = variant.target.get();
  selection.isa = variant.isa;
  selection.options = &options;
  selection.shipped = &shipped;
  PipelineInputs inputs;
  inputs.target = variant.target.get();
  OwningOpRef<ModuleOp> fused = module.clone();
  bool checksModel = options.wholeModelCheck && isOpen(module);
  if (!asksTuner(variant, options)) {
    tune::HeuristicSelector selector(selection);
    inputs.selector = &selector;
    if (failed(runner.run(Phase::SelectAlgorithm, module, inputs))) {
      return failure();
    }
    FailureOr<Verdicts> verdicts = Verdicts();
    if (checksModel && selector.hasRecords()) {
      WholeModel whole(module, variant, options, selector,
                       /*measurer=*/nullptr);
      verdicts = whole.check(std::move(fused));
      if (failed(verdicts)) {
        return failure();
      }
      logVerdicts(*verdicts, options.log);
    }
    if (failed(shareLayouts(module, *variant.target, options, selector))) {
      return failure();
    }
    return verdicts;
  }
  tune::TuningSelector selector(selection, machine);
  inputs.selector = &selector;
  if (failed(runner.run(Phase::SelectAlgorithm, module, inputs))) {
    return failure();
  }
  FailureOr<Verdicts> verdicts = Verdicts();
  tune::SteadyClock clock;
  double checkSeconds = 0;
  // A replay may have found shipped records alone.
  if (checksModel && selector.hasRecords()) {
    double begun = clock.now();
    bool measures = !options.tuneReplay;
    LinearContest linears(module, *fused, forms, variant, options, selector,
                          measures);
    FailureOr<std::map<std::string, std::string>> found = linears.run();
    if (failed(found)) {
      return failure();
    }
    WholeModel whole(module, variant, options, selector,
                     measures ? &selector : nullptr);
    verdicts = whole.check(std::move(fused));
    checkSeconds = clock.now() - begun;
    if (failed(verdicts)) {
      return failure();
    }
    for (auto &[function, text] : *found) {
      (*verdicts)[function].linears = std::move(text);
    }
    logVerdicts(*verdicts, options.log);
  }
  if (failed(shareLayouts(module, *variant.target, options, selector))) {
    return failure();
  }
  std::string costs = selector.describeCosts(checkSeconds);
  if (!costs.empty()) {
    options.log.line(LogTopic::Autotuning, costs);
  }
  if (seen) {
    *seen = {selector.tunedSeconds(), {selector.report(), costs}};
  }
  if (absl::Status status = selector.writeReport(); !status.ok()) {
    return tune::emitStatus(module.getContext(), status);
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
    tune::Verdict noneOfIt;
    noneOfIt.tunedShips = false;
    const tune::Verdict &whenIdle = found->second.whenIdleFigures
                                        ? *found->second.whenIdleFigures
                                        : noneOfIt;
    double runUs =
        whenIdle.tunedShips ? tune::busyUs({graph.backToBack, graph.call}) : 0;
    for (auto variant : function.getBody().getOps<plan::VariantOp>()) {
      variant.setGraphAttr(plan::GraphVerdictAttr::get(
          b.getContext(),
          graph.tunedShips      ? plan::Replay::Always
          : whenIdle.tunedShips ? plan::Replay::WhenIdle
                                : plan::Replay::Never,
          b.getF64FloatAttr(graph.backToBack.tunedUs),
          b.getF64FloatAttr(graph.backToBack.defaultUs),
          b.getF64FloatAttr(graph.call.tunedUs),
          b.getF64FloatAttr(graph.call.defaultUs),
          b.getF64FloatAttr(whenIdle.backToBack.tunedUs),
          b.getF64FloatAttr(whenIdle.call.tunedUs), b.getF64FloatAttr(runUs),
          /*pointerChanges=*/{}));
    }
  }
}

} // namespace minic
