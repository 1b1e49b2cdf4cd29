// SPDX-License-Identifier: Apache-2.0
//
// A trial is an artifact of the function alone, without the bytes of large
// weights: it is only timed.

#include "compiler/driver/ModelDescent.h"

#include "compiler/driver/PlanChoices.h"
#include "compiler/tune/model/DescentWorth.h"
#include "compiler/tune/search/RowEvidence.h"
#include "dialects/kernel/Provenance.h"

#include "absl/strings/str_cat.h"

using namespace mlir;

namespace minic {

absl::StatusOr<std::string> ModelDescent::build(func::FuncOp function,
                                                const tune::DescentSpace &space,
                                                const tune::Choices &choices) {
  absl::StatusOr<std::string> folder = measurer->scratchDirectory();
  if (!folder.ok()) {
    return folder.status();
  }
  MLIRContext *context = function.getContext();
  OwningOpRef<ModuleOp> plan = onlyFunction(tuned, function.getName());
  auto copy = plan->lookupSymbol<func::FuncOp>(function.getName());
  for (auto [i, fusion] : llvm::enumerate(fusionsOf(copy))) {
    int problem = space.problemOf(i);
    if (problem < 0) {
      continue;
    }
    const tune::Row &row =
        space.record(problem).rows[space.row(problem, choices)];
    kernel::ChoiceAttr choice = tune::parseChoice(row.candidate, context);
    if (!choice) {
      return absl::DataLossError(
          absl::StrCat(row.candidate.name, ": its choice cannot be read"));
    }
    kernel::FusionOp(fusion).setChoiceAttr(choice);
  }
  std::string path = absl::StrCat(*folder, "/descent", ++plansBuilt, ".minic");
  if (absl::Status status = buildTrial(*plan, variant, options, path);
      !status.ok()) {
    return status;
  }
  return path;
}

FailureOr<std::optional<tune::DescentResult>>
ModelDescent::findOrMeasure(tune::DescentInputs inputs,
                            const tune::DescentSpace &space,
                            func::FuncOp function, int functionsLeft) {
  inputs.model.retune = measurer && options.retune;
  absl::StatusOr<std::optional<tune::DescentResult>> found =
      selector.findDescent(inputs);
  if (!found.ok()) {
    return tune::emitStatus(function.getContext(), found.status());
  }
  if (*found || !measurer) {
    return *found;
  }
  if (std::string why = tune::whyNoDescent(inputs); !why.empty()) {
    options.log.line(LogTopic::Autotuning,
                     absl::StrCat("whole model @", function.getName().str(),
                                  ": descent: ", why));
    return std::optional<tune::DescentResult>();
  }
  inputs.build = [&](const tune::Choices &choices) {
    return build(function, space, choices);
  };
  absl::StatusOr<tune::DescentResult> measured =
      measurer->descend(std::move(inputs), functionsLeft);
  if (measured.ok()) {
    return std::optional(*std::move(measured));
  }
  // The whole-model check says what is wrong with a plan that cannot be run.
  options.log.line(
      LogTopic::Autotuning,
      absl::StrCat("whole model @", function.getName().str(),
                   ": descent gave up: ", measured.status().message()));
  return std::optional<tune::DescentResult>();
}

/// The last trial that gave `problem` this candidate.
static const tune::Trial *findTrial(const tune::Verdict &verdict,
                                    const std::string &problem,
                                    const std::string &candidate) {
  for (const tune::Trial &trial : llvm::reverse(verdict.trials)) {
    for (const tune::Change &change : trial.changes) {
      if (trial.isTaken && change.problem == problem &&
          change.candidate == candidate) {
        return &trial;
      }
    }
  }
  return nullptr;
}

LogicalResult ModelDescent::apply(func::FuncOp function,
                                  const tune::DescentSpace &space,
                                  const tune::DescentResult &found) {
  Builder b(function.getContext());
  for (auto [i, op] : llvm::enumerate(fusionsOf(function))) {
    kernel::FusionOp fusion = op;
    int problem = space.problemOf(i);
    if (problem < 0 || found.choices[problem] == 0) {
      continue;
    }
    const tune::Record &record = space.record(problem);
    int row = space.row(problem, found.choices);
    const tune::Row &winner =
        record.rows[space.row(problem, tune::Choices(found.choices.size(), 0))];
    std::string reason =
        absl::StrCat("chosen in the whole model: ",
                     tune::describeBeside(record.rows[row], winner));
    if (const tune::Trial *trial = findTrial(found.verdict, record.problem.key,
                                             record.rows[row].candidate.name)) {
      absl::StrAppend(&reason, ", ", tune::describeGain(*trial), " here",
                      trial->changes.size() > 1 ? " with others" : "");
    }
    auto before = fusion->getAttrOfType<DictionaryAttr>("provenance");
    absl::StatusOr<kernel::SelectedChoice> choice = tune::recordedChoice(
        record, {row, reason}, before.getAs<StringAttr>("origin").getValue(),
        options, function.getContext());
    if (!choice.ok()) {
      return tune::emitStatus(function.getContext(), choice.status());
    }
    NamedAttrList now(kernel::provenanceOf(*choice, function.getContext()));
    if (std::string lost = describeMeasured(before); !lost.empty()) {
      now.set("lost", b.getStringAttr(lost));
    }
    fusion.setChoiceAttr(choice->choice);
    fusion->setDiscardableAttr("provenance",
                               now.getDictionary(function.getContext()));
  }
  return success();
}

FailureOr<std::string> ModelDescent::run(func::FuncOp function,
                                         ArrayRef<ModuleOp> others,
                                         int functionsLeft) {
  SmallVector<kernel::FusionOp> fusions = fusionsOf(function);
  // One kernel alone was timed as it runs in the model.
  if (fusions.size() < 2) {
    return std::string();
  }
  StringRef name = function.getName();
  tune::DescentSpace space = selector.descentSpace(fusions);
  SmallVector<OwningOpRef<ModuleOp>> plans;
  std::vector<tune::Choices> whole;
  plans.push_back(onlyFunction(*withoutProvenance(tuned), name));
  for (ModuleOp other : others) {
    plans.push_back(onlyFunction(*withoutProvenance(other), name));
    auto theirs = other.lookupSymbol<func::FuncOp>(name);
    if (std::optional<tune::Choices> choices = space.offer(fusionsOf(theirs))) {
      whole.push_back(*std::move(choices));
    }
  }
  if (!space.hasOffers() && (!measurer || space.problems().empty())) {
    return std::string();
  }
  tune::DescentInputs inputs = selector.descentInputs(
      name.str(),
      llvm::map_to_vector(plans,
                          [](OwningOpRef<ModuleOp> &plan) { return *plan; }),
      space);
  inputs.plans = std::move(whole);
  FailureOr<std::optional<tune::DescentResult>> found =
      findOrMeasure(std::move(inputs), space, function, functionsLeft);
  if (failed(found)) {
    return failure();
  }
  if (!*found) {
    return std::string();
  }
  if (failed(apply(function, space, **found))) {
    return failure();
  }
  return absl::StrCat((*found)->measured ? "" : "from your database: ",
                      tune::describe((*found)->verdict));
}

} // namespace minic
