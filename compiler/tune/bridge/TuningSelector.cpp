// SPDX-License-Identifier: Apache-2.0
//
// Wires the autotuner to processes, the database, the log and the terminal.

#include "compiler/tune/bridge/TuningSelector.h"

#include "compiler/pipeline/ResolveTarget.h"
#include "compiler/tune/bridge/Problem.h"
#include "compiler/tune/bridge/ProfileJson.h"
#include "compiler/tune/bridge/Versions.h"
#include "compiler/tune/model/DescentWorth.h"
#include "compiler/tune/model/TuneReport.h"
#include "compiler/tune/process/Interrupt.h"
#include "compiler/tune/process/ProcessBuildPool.h"
#include "compiler/tune/search/AutotuneTable.h"
#include "compiler/tune/search/Autotuner.h"
#include "compiler/tune/search/ConfirmSearch.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

#include <algorithm>
#include <iostream>
#include <limits>

#include <unistd.h>

using namespace mlir;

namespace minic::tune {

/// Part of a budget that is kept for the whole-model check, and for descent
/// where there is more than one fusion.
static constexpr double checkShare = 0.15;
static constexpr double descentShare = 0.15;

/// Neighbours that a guided search looks at, where it does: a part of what it
/// tried, but this many at least. When all problems of a CPU had a quarter,
/// tuning took 1.16 times as long; only attention and rows have it
/// (docs/measurements/2026-11-26-search-descent.md).
static constexpr double shortDescentShare = 0.25, shortDescentLeast = 4;

/// What a search for another form of the model gets, whatever is left.
static constexpr double leastSearchSeconds = 0.1;

/// A check takes at least a round, whatever is left.
static constexpr double leastCheckSeconds = 0.02;

static void showProgress(const TuningProgress &progress) {
  llvm::errs() << "\r\x1b[K" << formatProgress(progress);
}

/// "NAME: verified, 5.2 us in the screen, error 0.12 of its tolerance"
static std::string formatSettled(const Row &row) {
  std::string text = absl::StrCat("candidate ", row.candidate.name, ": ",
                                  toString(row.status));
  if (row.screenUs > 0) {
    absl::StrAppend(&text, ", ", formatTime(row.screenUs), " in the screen");
  }
  if (row.status == RowStatus::Verified) {
    absl::StrAppendFormat(&text, ", error %.3g of its tolerance",
                          row.worstError);
  }
  absl::StrAppend(&text, describeOrigin(row));
  return row.reason.empty() ? text : absl::StrCat(text, ": ", row.reason);
}

absl::Status TuningSelector::ensureScratch() {
  if (!scratch) {
    absl::StatusOr<std::unique_ptr<ScratchDirectory>> created =
        ScratchDirectory::create();
    if (!created.ok()) {
      return created.status();
    }
    scratch = *std::move(created);
  }
  return absl::OkStatus();
}

absl::Status TuningSelector::ensureLock() {
  if (lock) {
    return absl::OkStatus();
  }
  const DeviceProfile &profile = inputs.target->profile();
  absl::StatusOr<std::unique_ptr<MeasureLock>> acquired = MeasureLock::acquire(
      profile.isGpu() ? MeasureLock::pathOf(profile.deviceId)
                      : MeasureLock::defaultPath(),
      notify, interrupted);
  if (!acquired.ok()) {
    return acquired.status();
  }
  lock = *std::move(acquired);
  return lockClocks();
}

absl::Status TuningSelector::lockClocks() {
  const CompileOptions &options = *inputs.options;
  const DeviceProfile &profile = inputs.target->profile();
  if (!profile.isGpu() || !asksLockedClocks(options)) {
    return absl::OkStatus();
  }
  absl::StatusOr<std::unique_ptr<runtime::ClockLock>> locked =
      runtime::ClockLock::acquire(profile.deviceId,
                                  std::max(0, options.lockClocks));
  if (locked.ok()) {
    clocks = *std::move(locked);
    options.log.line(LogTopic::Autotuning,
                     absl::StrCat("SM clocks locked to ", clocks->mhz(),
                                  " MHz while measuring"));
    return absl::OkStatus();
  }
  std::string why = std::string(locked.status().message());
  if (options.requireLockedClocks) {
    return absl::FailedPreconditionError(
        absl::StrCat("--require-locked-clocks: ", why));
  }
  if (!saidUnlocked) {
    notify(absl::StrCat("warning: --lock-clocks: ", why));
    saidUnlocked = true;
  }
  return absl::OkStatus();
}

void TuningSelector::describeLibrary() {
  if (inputs.target->profile().isGpu()) {
    return; // the profile says it
  }
  // A worker that does not answer is reported by whoever needs it next.
  absl::StatusOr<runtime::DeviceFacts> facts = machine.describe(/*gpus=*/false);
  if (facts.ok()) {
    auto it = facts->libraries.find("oneDNN");
    libraryVersion = it == facts->libraries.end() ? "" : it->second;
  }
}

Versions TuningSelector::versions() const {
  Versions versions = currentVersions(*inputs.target);
  if (libraryVersion) {
    versions.libraries = *libraryVersion;
  }
  return versions;
}

/// A builder knows a CPU by itself and a GPU by its profile.
static std::vector<std::string> builderCommand(const ToolPaths &tools,
                                               const SelectionInputs &inputs) {
  std::vector<std::string> command = {tools.minic, "build-worker"};
  for (const std::string &plugin : inputs.options->plugins) {
    command.push_back("--plugin=" + plugin);
  }
  const DeviceProfile &profile = inputs.target->profile();
  if (profile.isGpu()) {
    command.push_back(encodeProfile(profile));
  }
  return command;
}

/// What a replay says that has no database, `status`: nothing if all problems
/// have shipped choices.
static absl::Status missWithout(const absl::Status &status,
                                ArrayRef<TuningTask> tasks,
                                const ShippedChoices &shipped) {
  for (auto [task, choice] : llvm::zip_equal(tasks, shipped)) {
    if (!choice) {
      return absl::NotFoundError(absl::StrCat(
          "no tuning record of ", task.problem.description, " (problem ",
          task.problem.key, "): ", status.message()));
    }
  }
  return absl::OkStatus();
}

/// Tunes the problems that have no shipped choice; the result has empty places
/// for the others.
static absl::StatusOr<std::vector<TunedProblem>>
tuneOthers(Autotuner &tuner, ArrayRef<TuningTask> tasks,
           const ShippedChoices &shipped) {
  if (llvm::none_of(shipped, [](const auto &choice) { return !!choice; })) {
    return tuner.tune(tasks);
  }
  std::vector<TuningTask> others;
  for (auto [task, choice] : llvm::zip_equal(tasks, shipped)) {
    if (!choice) {
      others.push_back(task);
    }
  }
  absl::StatusOr<std::vector<TunedProblem>> found = tuner.tune(others);
  if (!found.ok()) {
    return found.status();
  }
  std::vector<TunedProblem> result(tasks.size());
  auto next = found->begin();
  for (auto [problem, choice] : llvm::zip_equal(result, shipped)) {
    if (!choice) {
      problem = std::move(*next++);
    }
  }
  return result;
}

absl::StatusOr<std::string> TuningSelector::scratchDirectory() {
  if (absl::Status status = ensureScratch(); !status.ok()) {
    return status;
  }
  return scratch->path();
}

FailureOr<std::vector<kernel::SelectedChoice>>
TuningSelector::select(ArrayRef<kernel::FusionOp> fusions) {
  std::vector<kernel::SelectedChoice> result;
  if (fusions.empty()) {
    return result;
  }
  MLIRContext *context = fusions.front()->getContext();
  const CompileOptions &options = *inputs.options;
  FailureOr<std::unique_ptr<TuningTasks>> tasks =
      makeTasks(fusions, inputs, /*areMeasured=*/true);
  if (failed(tasks)) {
    return failure();
  }
  double begun = clock.now();
  started = started > 0 ? started : begun;
  // Before anything is written; else only once there is something to measure.
  absl::Status status = options.requireLockedClocks && !options.tuneReplay
                            ? ensureLock()
                            : absl::OkStatus();
  if (status.ok()) {
    status = dumpProblems(**tasks, options);
  }
  ShippedChoices shipped((*tasks)->tasks.size());
  if (status.ok()) {
    status = openDb(options.tuneReplay ? TuningDb::Access::ReadOnly
                                       : TuningDb::Access::ReadWrite);
  }
  if (options.tuneReplay && (status.ok() || absl::IsNotFound(status))) {
    FailureOr<ShippedChoices> found = shippedChoices((*tasks)->tasks, context);
    if (failed(found)) {
      return failure();
    }
    shipped = *std::move(found);
    if (absl::IsNotFound(status)) {
      status = missWithout(status, (*tasks)->tasks, shipped);
    }
  }
  if (status.ok() && !options.tuneReplay) {
    status = ensureScratch();
  }
  if (!status.ok()) {
    return emitStatus(context, status);
  }
  ProcessBuildPool::Options poolOptions;
  poolOptions.command = builderCommand(machine.tools(), inputs);
  poolOptions.processes = availableThreads();
  // A plug-in that keeps its own limit ends a builder's job by that one.
  for (const KernelFamily *family : inputs.target->families()) {
    poolOptions.timeoutSeconds +=
        family->isPlugin() ? family->buildSeconds() : 0;
  }
  ProcessBuildPool pool(poolOptions);
  AutotunerOptions tunerOptions;
  if (inputs.target->profile().isGpu()) {
    // Runs are short and the clock is the device's own.
    tunerOptions.roundUs = 1000;
    tunerOptions.rounds.maxSeconds = 0.5;
    tunerOptions.finalsSeconds = 4;
  }
  bool onTerminal = ::isatty(STDERR_FILENO) == 1;
  bool descends = options.wholeModelCheck && fusions.size() > 1;
  if (options.tuneBudgetSeconds > 0) {
    double share = 1 - checkShare - (descends ? descentShare : 0);
    tunerOptions.budgetSeconds =
        std::max(share * options.tuneBudgetSeconds - (begun - started),
                 leastSearchSeconds);
  }
  // What another form of the model shares with the first one was just tuned.
  tunerOptions.retune = options.retune && shown.empty();
  tunerOptions.replay = options.tuneReplay;
  tunerOptions.scratchDirectory = scratch ? scratch->path() : "";
  tunerOptions.policy = policy();
  tunerOptions.prospects.isExhaustive =
      options.search == "offered" || options.search == "exhaustive";
  if (options.search == "descent") {
    tunerOptions.descent.share = std::numeric_limits<double>::infinity();
  } else if (options.search == "guided") {
    tunerOptions.descent.share = shortDescentShare;
    tunerOptions.descent.least = shortDescentLeast;
    tunerOptions.descent.isShort = true;
  }
  tunerOptions.descent.atOnce =
      std::max(tunerOptions.descent.atOnce, int(poolOptions.processes));
  tunerOptions.stop = interrupted;
  tunerOptions.probeNoise = noiseProbe();
  tunerOptions.beforeSearch = [&]() -> absl::Status {
    if (absl::Status status = ensureLock(); !status.ok()) {
      return status;
    }
    // A worker is needed anyway: what it opens is what is measured.
    describeLibrary();
    for (TuningTask &task : (*tasks)->tasks) {
      task.problem.versions.libraries = versions().libraries;
    }
    return absl::OkStatus();
  };
  if (options.search == "exhaustive" && options.tuneBudgetSeconds <= 0) {
    tunerOptions.confirm = [&](int64_t candidates, int problems) {
      SearchSize size = {candidates, problems, poolOptions.processes,
                         inputs.target->profile().isGpu()};
      bool canAsk = onTerminal && ::isatty(STDIN_FILENO) == 1;
      return confirmSearch(size, canAsk ? &std::cin : nullptr);
    };
  }
  if (onTerminal) {
    tunerOptions.progress = showProgress;
  }
  if (options.log.has(LogTopic::Candidates)) {
    tunerOptions.settled = [&](const Row &row) {
      if (onTerminal) {
        llvm::errs() << "\r\x1b[K"; // over the progress
      }
      options.log.line(LogTopic::Candidates, formatSettled(row));
    };
  }
  absl::StatusOr<std::vector<TunedProblem>> found =
      std::vector<TunedProblem>(shipped.size());
  if (db) {
    Autotuner tuner(*db, pool, machine.worker(), clock, tunerOptions);
    found = tuneOthers(tuner, (*tasks)->tasks, shipped);
  }
  if (onTerminal) {
    llvm::errs() << "\r\x1b[K";
  }
  if (!found.ok()) {
    return emitStatus(context, found.status());
  }
  tuned = *std::move(found);
  double seconds = clock.now() - begun;
  formSeconds += searchSeconds > 0 ? seconds : 0;
  searchSeconds += seconds;
  std::vector<std::string> tables;
  for (auto [problem, task, choice] :
       llvm::zip_equal(tuned, (*tasks)->tasks, shipped)) {
    if (choice) {
      options.log.line(LogTopic::Autotuning,
                       absl::StrCat(task.problem.description, ": ",
                                    choice->origin, ": ", choice->reason));
      continue;
    }
    auto [known, isNew] =
        shown.try_emplace(problem.record.problem.key, problem.measured);
    known->second |= problem.measured;
    if (problem.measured) {
      spentSeconds[problem.record.problem.key] += secondsSpent(problem.record);
    }
    if (isNew || problem.measured) {
      tables.push_back(formatTable(problem));
    }
  }
  for (size_t task : (*tasks)->taskOf) {
    const TunedProblem &problem = tuned[task];
    if (shipped[task]) {
      result.push_back(*shipped[task]);
      continue;
    }
    absl::StatusOr<kernel::SelectedChoice> choice =
        recordedChoice(problem.record, problem.selection,
                       shown[problem.record.problem.key] ? "tuned" : "database",
                       options, context);
    if (!choice.ok()) {
      return emitStatus(context, choice.status());
    }
    result.push_back(*std::move(choice));
  }
  if (status = chooseGenerated(**tasks, result, context); !status.ok()) {
    return emitStatus(context, status);
  }
  for (const std::string &table : tables) {
    options.log.block(LogTopic::Autotuning, table);
  }
  return result;
}

absl::StatusOr<WholeModelResult>
TuningSelector::checkModel(WholeModelInputs check) {
  absl::Status status = ensureScratch();
  if (status.ok()) {
    status = ensureLock();
  }
  if (!status.ok()) {
    return status;
  }
  // Where other functions took what there is, each still has rounds enough for
  // an interval.
  check.rounds.maxSeconds =
      std::clamp(checksSecondsLeft, std::min(0.5, check.rounds.maxSeconds),
                 check.rounds.maxSeconds);
  // Undecided rounds go on as long as the budget allows.
  if (inputs.options->tuneBudgetSeconds > 0) {
    double left = started + inputs.options->tuneBudgetSeconds - clock.now();
    check.rounds.maxSeconds =
        std::clamp(left, leastCheckSeconds, check.rounds.maxSeconds);
  }
  double begun = clock.now();
  absl::StatusOr<WholeModelResult> result =
      checkWholeModel(check, *db, machine.worker(), clock);
  checksSecondsLeft -= clock.now() - begun;
  clocks.reset();
  lock.reset();
  if (result.ok()) {
    verdicts = *result;
  }
  return result;
}

double TuningSelector::mostDescentSeconds() const {
  double budget = inputs.options->tuneBudgetSeconds;
  if (budget > 0) {
    double left = started + (1 - checkShare) * budget - clock.now();
    return std::min(descentShare * budget, descentSeconds + left);
  }
  return tune::mostDescentSeconds(searchSeconds,
                                  inputs.target->profile().isGpu());
}

absl::StatusOr<DescentResult> TuningSelector::descend(DescentInputs descent,
                                                      int functionsLeft) {
  absl::Status status = ensureScratch();
  if (status.ok()) {
    status = ensureLock();
  }
  if (!status.ok()) {
    return status;
  }
  descent.maxSeconds = (mostDescentSeconds() - descentSeconds) / functionsLeft;
  bool onTerminal = ::isatty(STDERR_FILENO) == 1;
  if (onTerminal) {
    descent.progress = [](const DescentProgress &progress) {
      llvm::errs() << "\r\x1b[K" << formatProgress(progress);
    };
  }
  auto build = std::move(descent.build);
  descent.build = [&](const Choices &choices) {
    double begun = clock.now();
    absl::StatusOr<std::string> path = build(choices);
    descentBuildSeconds += clock.now() - begun;
    ++descentBuilds;
    return path;
  };
  double begun = clock.now();
  absl::StatusOr<DescentResult> result =
      tune::descend(descent, *db, machine.worker(), clock);
  descentSeconds += clock.now() - begun;
  if (onTerminal) {
    llvm::errs() << "\r\x1b[K";
  }
  clocks.reset();
  lock.reset();
  if (result.ok()) {
    this->descent = result->verdict;
  }
  return result;
}

std::string TuningSelector::describeCosts(double checkSeconds) const {
  std::string costs = tune::describeCosts(machine.requestCosts(), costsBefore);
  if (costs.empty()) {
    return costs;
  }
  std::string text = absl::StrCat("worker: ", costs);
  if (formSeconds > 0) {
    absl::StrAppendFormat(&text, "; search for other linears %.1f s",
                          formSeconds);
  }
  absl::StrAppendFormat(&text,
                        "; descent %.1f s (%d plans built in %.1f s), "
                        "whole-model check %.1f s",
                        descentSeconds, descentBuilds, descentBuildSeconds,
                        checkSeconds - descentSeconds - formSeconds);
  return text;
}

std::string TuningSelector::report() const {
  // Of shipped choices there are no rows.
  std::vector<TunedProblem> problems;
  llvm::copy_if(
      tuned, std::back_inserter(problems),
      [](const TunedProblem &problem) { return problem.selection.row >= 0; });
  return formatReport(problems, verdicts ? &*verdicts : nullptr,
                      descent ? &*descent : nullptr);
}

absl::Status TuningSelector::writeReport() const {
  const std::string &path = inputs.options->tuneReport;
  return path.empty() ? absl::OkStatus() : tune::writeReport(path, report());
}

} // namespace minic::tune
