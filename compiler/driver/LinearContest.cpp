// SPDX-License-Identifier: Apache-2.0
//
// A descent of one problem, whose candidates are forms.

#include "compiler/driver/LinearContest.h"

#include "compiler/driver/PlanChoices.h"
#include "compiler/tune/bridge/DefaultSelector.h"

#include "absl/strings/str_cat.h"

#include <set>

using namespace mlir;

namespace minic {

static func::FuncOp find(ModuleOp module, StringRef name) {
  return module.lookupSymbol<func::FuncOp>(name);
}

/// Gives `to` a function of `from` in the place of its own.
static void replace(ModuleOp to, ModuleOp from, StringRef name) {
  func::FuncOp before = find(to, name);
  OpBuilder(before).clone(*find(from, name));
  before.erase();
}

LogicalResult LinearContest::select(ModuleOp module) {
  PipelineInputs inputs;
  inputs.target = variant.target.get();
  inputs.selector = &selector;
  return runPhase(Phase::SelectAlgorithm, module, inputs);
}

LogicalResult LinearContest::selectAll() {
  if (!selected.empty()) {
    return success();
  }
  for (const LinearForm &form : forms) {
    ModuleOp fusedForm = *form.fused;
    selected.push_back(fusedForm.clone());
    if (failed(select(*selected.back()))) {
      return failure();
    }
  }
  return success();
}

FailureOr<ModuleOp> LinearContest::defaultPlan() {
  if (!byDefault) {
    OwningOpRef<ModuleOp> plan = fused.clone();
    tune::DefaultSelector defaults(selector.selection());
    PipelineInputs inputs;
    inputs.target = variant.target.get();
    inputs.selector = &defaults;
    ScopedDiagnosticHandler quiet(plan->getContext(),
                                  [](Diagnostic &) { return success(); });
    if (failed(runPhase(Phase::SelectAlgorithm, *plan, inputs))) {
      return failure();
    }
    byDefault = std::move(plan);
  }
  return *byDefault;
}

absl::StatusOr<std::string> LinearContest::build(StringRef function, int form) {
  absl::StatusOr<std::string> folder = selector.scratchDirectory();
  if (!folder.ok()) {
    return folder.status();
  }
  std::string path = absl::StrCat(*folder, "/linears", ++plansBuilt, ".minic");
  ModuleOp whole = form > 0 ? *selected[size_t(form) - 1] : tuned;
  if (form == defaultMode) {
    FailureOr<ModuleOp> plan = defaultPlan();
    if (failed(plan)) {
      return absl::UnimplementedError(
          "the options allow only what was measured");
    }
    whole = *plan;
  }
  OwningOpRef<ModuleOp> plan = onlyFunction(whole, function);
  if (absl::Status status = buildTrial(*plan, variant, options, path);
      !status.ok()) {
    return status;
  }
  return path;
}

FailureOr<int> LinearContest::choose(func::FuncOp function, int functionsLeft,
                                     std::string &text) {
  StringRef name = function.getName();
  // Of the candidates of the problem, which form each is.
  std::vector<int> candidates = {0};
  std::vector<std::string> names = {"merged by the rule"};
  SmallVector<OwningOpRef<ModuleOp>> plans;
  plans.push_back(onlyFunction(fused, name));
  std::set<std::string> known = {textOfForm(*plans.front())};
  for (auto [i, form] : llvm::enumerate(forms)) {
    OwningOpRef<ModuleOp> plan = onlyFunction(*form.fused, name);
    if (known.insert(textOfForm(*plan)).second) {
      candidates.push_back(int(i) + 1);
      names.push_back(form.name);
      plans.push_back(std::move(plan));
    }
  }
  if (candidates.size() == 1) {
    return 0;
  }
  candidates.push_back(defaultMode);
  names.push_back("merged by the rule, chosen by default mode");
  plans.push_back(plans.front()->clone());
  OwningOpRef<ModuleOp> chosen = onlyFunction(tuned, name);
  tune::DescentInputs inputs = selector.linearInputs(
      name.str(),
      llvm::map_to_vector(plans,
                          [](OwningOpRef<ModuleOp> &plan) { return *plan; }),
      names, *chosen);
  inputs.model.retune = measures && options.retune;
  absl::StatusOr<std::optional<tune::DescentResult>> found =
      selector.findDescent(inputs);
  if (found.ok() && !*found && measures) {
    if (failed(selectAll())) {
      return failure();
    }
    inputs.build = [&](const tune::Choices &choices) {
      return build(name, candidates[size_t(choices.front())]);
    };
    // Descent of the problems comes after it.
    absl::StatusOr<tune::DescentResult> measured =
        selector.descend(inputs, 2 * functionsLeft);
    if (!measured.ok() && !absl::IsCancelled(measured.status())) {
      text = absl::StrCat("gave up: ", measured.status().message());
      return 0;
    }
    if (measured.ok()) {
      *found = *std::move(measured);
    } else {
      found = measured.status();
    }
  }
  if (!found.ok()) {
    return tune::emitStatus(function.getContext(), found.status());
  }
  if (!*found) {
    return 0;
  }
  size_t winner = size_t((*found)->choices.front());
  text = absl::StrCat((*found)->measured ? "" : "from your database: ",
                      names[winner], ": ", tune::describe((*found)->verdict));
  return std::max(candidates[winner], 0);
}

FailureOr<std::map<std::string, std::string>> LinearContest::run() {
  std::map<std::string, std::string> texts;
  std::map<std::string, int> winners;
  if (forms.empty()) {
    return texts;
  }
  auto functions = llvm::to_vector(tuned.getOps<func::FuncOp>());
  int left = int(functions.size());
  for (func::FuncOp function : functions) {
    std::string name = function.getName().str(), text;
    FailureOr<int> form = choose(function, left--, text);
    if (failed(form)) {
      return failure();
    }
    if (!text.empty()) {
      texts[name] = text;
    }
    if (*form > 0) {
      winners[name] = *form;
    }
  }
  // The selector answers for the module that it saw last.
  if (selected.empty() && winners.empty()) {
    return texts;
  }
  for (auto [name, form] : winners) {
    replace(fused, *forms[size_t(form) - 1].fused, name);
  }
  OwningOpRef<ModuleOp> chosen = fused.clone();
  if (failed(select(*chosen))) {
    return failure();
  }
  for (auto function : chosen->getOps<func::FuncOp>()) {
    replace(tuned, *chosen, function.getName());
  }
  return texts;
}

} // namespace minic
