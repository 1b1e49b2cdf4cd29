// SPDX-License-Identifier: Apache-2.0
//
// Looks up; measures nothing.

#include "compiler/tune/bridge/RecordedSelector.h"

#include "compiler/pipeline/PhaseRunner.h"
#include "compiler/tune/bridge/Problem.h"
#include "compiler/tune/bridge/ShippedDb.h"
#include "compiler/tune/bridge/Versions.h"
#include "compiler/tune/model/WholeModelVerdicts.h"
#include "compiler/tune/process/Interrupt.h"
#include "compiler/tune/search/NoiseProbe.h"
#include "compiler/tune/search/RowEvidence.h"
#include "compiler/tune/search/SourceVersions.h"

#include "absl/strings/str_cat.h"

using namespace mlir;

namespace minic::tune {

absl::Status RecordedSelector::openDb(TuningDb::Access access) {
  if (db) {
    return absl::OkStatus();
  }
  TuningDb::Options options;
  options.path = databasePath(*inputs.options);
  options.access = access;
  options.notify = notify;
  absl::StatusOr<std::unique_ptr<TuningDb>> opened = TuningDb::open(options);
  if (!opened.ok()) {
    return opened.status();
  }
  db = *std::move(opened);
  return absl::OkStatus();
}

FailureOr<ShippedChoices>
RecordedSelector::shippedChoices(ArrayRef<TuningTask> tasks,
                                 MLIRContext *context) {
  ShippedChoices choices(tasks.size());
  if (!inputs.shipped) {
    return choices;
  }
  for (auto [task, choice] : llvm::zip_equal(tasks, choices)) {
    const ProblemSpec &problem = task.problem;
    if (db) {
      absl::StatusOr<Lookup> found = db->find(problem);
      if (!found.ok()) {
        return emitStatus(context, found.status());
      }
      if (findUsable(*found, problem.versions, policy())) {
        continue;
      }
    }
    ShippedAnswer answer = inputs.shipped->find(problem, policy());
    if (!answer.refusal.empty()) {
      inputs.options->log.line(
          LogTopic::Autotuning,
          absl::StrCat(problem.description, ": ", answer.refusal));
    }
    choice = std::move(answer.choice);
  }
  return choices;
}

Versions RecordedSelector::versions() const {
  return currentVersions(*inputs.target);
}

std::function<Noise()> RecordedSelector::noiseProbe() const {
  const CompileOptions &options = *inputs.options;
  bool measures = options.tune && !options.tuneReplay;
  if (!measures || !options.searchAgain || inputs.target->profile().isGpu()) {
    return nullptr;
  }
  return [this] {
    if (!probed) {
      probed = probeNoise();
    }
    return *probed;
  };
}

bool RecordedSelector::hasRecords() const {
  return llvm::any_of(tuned, [](const TunedProblem &problem) {
    return problem.selection.row >= 0;
  });
}

absl::Status
RecordedSelector::chooseGenerated(const TuningTasks &tasks,
                                  ArrayRef<kernel::SelectedChoice> winners,
                                  MLIRContext *context) {
  // A guess: twice the handicap that was seen to be made good. In an MLP of two
  // bf16 products on an H200 cuDNN's kernel took 3.3 us alone, the best
  // generated one 3.8; a replay of both layers took 10.5 us with it and 9.3
  // without.
  constexpr double limit = 1.3;
  generated.clear();
  taskOf = tasks.taskOf;
  if (!inputs.target->profile().isGpu()) {
    return absl::OkStatus();
  }
  bool differs = false;
  std::vector<kernel::SelectedChoice> choices = winners.vec();
  SelectionPolicy policy = this->policy();
  for (size_t i = 0; i < choices.size(); ++i) {
    const TunedProblem &problem = tuned[tasks.taskOf[i]];
    const std::vector<Row> &rows = problem.record.rows;
    if (problem.selection.row < 0) {
      continue;
    }
    int row = selectGenerated(rows, problem.selection, limit, policy);
    if (row < 0) {
      continue;
    }
    Selection selection{row,
                        absl::StrCat("the fastest without a library; ",
                                     rows[problem.selection.row].candidate.name,
                                     " is faster alone")};
    absl::StatusOr<kernel::SelectedChoice> choice = recordedChoice(
        problem.record, selection, choices[i].origin, *inputs.options, context);
    if (!choice.ok()) {
      return choice.status();
    }
    choices[i] = *std::move(choice);
    differs = true;
  }
  if (differs) {
    generated = std::move(choices);
  }
  return absl::OkStatus();
}

/// What identifies plans for a whole-model verdict: hash of the modules with
/// their choices.
static std::string planKeyOf(ArrayRef<ModuleOp> plans) {
  // Constants' bytes do not decide speed and may be many.
  std::string text;
  llvm::raw_string_ostream os(text);
  for (ModuleOp plan : plans) {
    printElided(plan, os);
    os << "---\n";
  }
  return problemKey(text);
}

Versions
RecordedSelector::versionsOf(ArrayRef<ModuleOp> plans,
                             const std::set<std::string> &others) const {
  Versions all = versions(), used;
  used.sources["minic"] = all.sources["minic"];
  auto use = [&](StringRef source) {
    used.sources[source.str()] = all.sources[source.str()];
    if (llvm::any_of(inputs.target->libraries(), [&](const auto *library) {
          return library->name() == source;
        })) {
      used.libraries = all.libraries;
    }
  };
  for (const std::string &source : others) {
    use(source);
  }
  for (ModuleOp plan : plans) {
    plan.walk([&](kernel::FusionOp fusion) {
      if (kernel::ChoiceAttr choice = fusion.getChoiceAttr()) {
        for (kernel::PartAttr part : choice.getParts()) {
          use(part.getImplementation().getFamily());
        }
      }
    });
  }
  return used;
}

void RecordedSelector::addEvidence(size_t fusion,
                                   kernel::SelectedChoice &choice) const {
  const TunedProblem &problem = tuned[taskOf[fusion]];
  if (problem.selection.row < 0) {
    return;
  }
  const std::vector<Row> &rows = problem.record.rows;
  std::string text;
  llvm::raw_string_ostream(text) << Attribute(choice.choice);
  const Row *row = findRow(rows, text);
  const Row &winner = rows[problem.selection.row];
  if (!row) {
    return;
  }
  if (choice.origin != shippedOrigin) {
    choice.reason = absl::StrCat(row->candidate.name, ", best estimate");
  }
  if (row != &winner) {
    absl::StrAppend(&choice.reason, ", ", describeBeside(*row, winner));
  }
  if (row->status == RowStatus::Verified) {
    choice.timeUs = row->bestKnownUs();
    choice.errorOverTolerance = row->worstError;
    choice.maxAbsoluteError = row->maxAbsoluteError;
  }
}

const Record *RecordedSelector::recordOf(kernel::FusionOp fusion) const {
  StringRef key = recordedProblem(fusion);
  for (const TunedProblem &problem : tuned) {
    if (!key.empty() && problem.selection.row >= 0 &&
        problem.record.problem.key == key) {
      return &problem.record;
    }
  }
  return nullptr;
}

std::vector<const Row *>
RecordedSelector::timedRows(const Record &record) const {
  SelectionPolicy policy = this->policy();
  std::vector<const Row *> rows;
  for (const Row &row : record.rows) {
    if (isEligible(row, policy) && row.bestKnownUs() > 0) {
      rows.push_back(&row);
    }
  }
  return rows;
}

WholeModelInputs RecordedSelector::modelInputs(const std::string &function,
                                               ArrayRef<ModuleOp> plans,
                                               bool plansDiffer) const {
  const DeviceProfile &profile = inputs.target->profile();
  WholeModelInputs check;
  check.function = function;
  check.planKey =
      absl::StrCat(planKeyOf(plans), "@", function, "/", verdictVersion);
  check.plansDiffer = plansDiffer;
  check.device = profile.tuningKey;
  check.description = "@" + function;
  check.versions = versionsOf(plans);
  check.rounds.stop = interrupted;
  check.probeNoise = noiseProbe();
  if (profile.isGpu()) {
    check.onGpu = true;
    check.deviceIndex = profile.deviceIndex;
    check.streams = inputs.options->cudaGraphs != CudaGraphs::On;
    check.graphs = inputs.options->cudaGraphs != CudaGraphs::Off;
    check.roundUs = 1000;
    check.rounds.maxRounds = 200;
    check.rounds.maxSeconds = 1.5;
  }
  return check;
}

absl::StatusOr<std::optional<WholeModelResult>>
RecordedSelector::findVerdicts(const WholeModelInputs &check,
                               bool isNearestEnough) {
  if (!db) {
    return std::nullopt;
  }
  absl::StatusOr<std::optional<WholeModelResult>> found =
      isNearestEnough ? findNearestWholeModel(check, *db)
                      : findWholeModel(check, *db);
  if (found.ok() && *found) {
    verdicts = *found;
  }
  return found;
}

DescentSpace
RecordedSelector::descentSpace(ArrayRef<kernel::FusionOp> fusions) const {
  SelectionPolicy policy = this->policy();
  return DescentSpace(fusions, tuned, policy, inputs.target->profile().isGpu());
}

DescentInputs RecordedSelector::descentInputs(const std::string &function,
                                              ArrayRef<ModuleOp> plans,
                                              const DescentSpace &space) const {
  DescentInputs descent;
  descent.model = modelInputs(function, plans, /*plansDiffer=*/true);
  descent.model.versions = versionsOf(plans, space.sources());
  descent.problems = space.problems();
  if (inputs.target->profile().isGpu()) {
    descent.trialSeconds = 0.2;
  }
  return descent;
}

DescentInputs RecordedSelector::linearInputs(const std::string &function,
                                             ArrayRef<ModuleOp> forms,
                                             std::vector<std::string> names,
                                             ModuleOp chosen) const {
  DescentInputs linears;
  linears.model = modelInputs(function, forms, /*plansDiffer=*/true);
  linears.model.description += ", linears of one input";
  // What works in the other forms is only known once they are tuned.
  linears.model.versions = versions();
  linears.model.versions.libraries = versionsOf({chosen}).libraries;
  linears.problems = {{"linears", "linears of one input", std::move(names)}};
  if (inputs.target->profile().isGpu()) {
    linears.trialSeconds = 0.2;
  }
  return linears;
}

absl::StatusOr<std::optional<DescentResult>>
RecordedSelector::findDescent(const DescentInputs &descent) {
  if (!db) {
    return std::nullopt;
  }
  absl::StatusOr<std::optional<DescentResult>> found =
      tune::findDescent(descent, *db);
  if (found.ok() && *found) {
    this->descent = (*found)->verdict;
  }
  return found;
}

} // namespace minic::tune
