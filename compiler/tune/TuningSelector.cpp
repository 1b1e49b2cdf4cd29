// SPDX-License-Identifier: Apache-2.0
//
// Wires the autotuner to processes, the database, the log and the terminal.

#include "compiler/tune/TuningSelector.h"

#include "compiler/Interrupt.h"
#include "compiler/PhaseRunner.h"
#include "compiler/ResolveTarget.h"
#include "compiler/tune/AutotuneTable.h"
#include "compiler/tune/Problem.h"
#include "compiler/tune/ProcessBuildPool.h"
#include "compiler/tune/TuneReport.h"
#include "compiler/tune/Versions.h"

#include "absl/strings/str_cat.h"

#include <algorithm>
#include <filesystem>

#include <unistd.h>

using namespace mlir;

namespace minic::tune {

ToolPaths ToolPaths::ofThisProgram() {
  std::error_code error;
  std::filesystem::path self =
      std::filesystem::read_symlink("/proc/self/exe", error);
  return {self.string(), (self.parent_path() / "minic-worker").string()};
}

/// One line for people about waiting, whatever the log says.
static void notify(const std::string &line) {
  llvm::errs() << "minic: " << line << '\n';
}

static void showProgress(const TuningProgress &progress) {
  llvm::errs() << "\r\x1b[K" << formatProgress(progress);
}

absl::Status TuningSelector::openDb() {
  if (db) {
    return absl::OkStatus();
  }
  TuningDb::Options options;
  options.path = databasePath(*inputs.options);
  options.access = inputs.options->tuneReplay ? TuningDb::Access::ReadOnly
                                              : TuningDb::Access::ReadWrite;
  options.notify = notify;
  absl::StatusOr<std::unique_ptr<TuningDb>> opened = TuningDb::open(options);
  if (!opened.ok()) {
    return opened.status();
  }
  db = *std::move(opened);
  return absl::OkStatus();
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
  if (!worker) {
    worker =
        std::make_unique<ProcessWorker>(std::vector<std::string>{tools.worker});
  }
  return absl::OkStatus();
}

void TuningSelector::describeLibrary() {
  constexpr double timeoutSeconds = 30; // to start and to open the library
  WorkerAnswer answer = worker->ask(runtime::DescribeRequest(), timeoutSeconds);
  // A worker that does not answer is reported by whoever needs it next.
  if (auto *facts = std::get_if<runtime::DeviceFacts>(&answer.reply);
      answer.fate == WorkerAnswer::Fate::Answered && facts) {
    auto it = facts->libraries.find("oneDNN");
    libraryVersion = it == facts->libraries.end() ? "" : it->second;
  }
}

Versions TuningSelector::versions() const {
  Versions versions = currentVersions();
  if (libraryVersion) {
    versions.oneDnn = *libraryVersion;
  }
  return versions;
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
  FailureOr<std::unique_ptr<TuningTasks>> tasks = makeTasks(fusions, inputs);
  if (failed(tasks)) {
    return failure();
  }
  started = clock.now();
  absl::Status status = dumpProblems(**tasks, options);
  if (status.ok()) {
    status = openDb();
    if (options.tuneReplay && absl::IsNotFound(status)) {
      const ProblemSpec &first = (*tasks)->tasks.front().problem;
      status = absl::NotFoundError(
          absl::StrCat("no tuning record of ", first.description, " (problem ",
                       first.key, "): ", status.message()));
    }
  }
  if (status.ok() && !options.tuneReplay) {
    status = ensureScratch();
  }
  if (!status.ok()) {
    return emitStatus(context, status);
  }
  ProcessBuildPool::Options poolOptions;
  poolOptions.command = {tools.minic, "build-worker"};
  poolOptions.processes = availableThreads();
  ProcessBuildPool pool(poolOptions);
  bool onTerminal = ::isatty(STDERR_FILENO) == 1;
  AutotunerOptions tunerOptions;
  tunerOptions.budgetSeconds = options.tuneBudgetSeconds;
  tunerOptions.retune = options.retune;
  tunerOptions.replay = options.tuneReplay;
  tunerOptions.scratchDirectory = scratch ? scratch->path() : "";
  tunerOptions.policy.deterministic = options.deterministic;
  tunerOptions.stop = interrupted;
  tunerOptions.beforeSearch = [&]() -> absl::Status {
    absl::StatusOr<std::unique_ptr<MeasureLock>> acquired =
        MeasureLock::acquire(MeasureLock::defaultPath(), notify, interrupted);
    if (!acquired.ok()) {
      return acquired.status();
    }
    lock = *std::move(acquired);
    // A worker is needed anyway: what it opens is what is measured.
    describeLibrary();
    for (TuningTask &task : (*tasks)->tasks) {
      task.problem.versions = versions();
    }
    return absl::OkStatus();
  };
  if (onTerminal) {
    tunerOptions.progress = showProgress;
  }
  // A replay starts no process; the worker is never asked.
  ProcessWorker none({tools.worker});
  Autotuner tuner(*db, pool, worker ? *worker : none, clock, tunerOptions);
  absl::StatusOr<std::vector<TunedProblem>> found = tuner.tune((*tasks)->tasks);
  if (onTerminal) {
    llvm::errs() << "\r\x1b[K";
  }
  if (!found.ok()) {
    return emitStatus(context, found.status());
  }
  tuned = *std::move(found);
  for (size_t task : (*tasks)->taskOf) {
    const TunedProblem &problem = tuned[task];
    absl::StatusOr<kernel::SelectedChoice> choice = recordedChoice(
        problem.record.problem, problem.record.rows, problem.selection,
        problem.measured ? "tuned" : "database", options, context);
    if (!choice.ok()) {
      return emitStatus(context, choice.status());
    }
    result.push_back(*std::move(choice));
  }
  for (const TunedProblem &problem : tuned) {
    options.log.block(LogTopic::Autotuning, formatTable(problem));
  }
  return result;
}

absl::StatusOr<std::optional<Verdict>>
TuningSelector::findVerdict(const std::string &planKey) {
  if (absl::Status status = openDb(); !status.ok()) {
    return status;
  }
  if (inputs.options->retune) {
    return std::nullopt;
  }
  absl::StatusOr<std::optional<Verdict>> found =
      db->findVerdict(planKey, inputs.target->profile().tuningKey, versions());
  if (found.ok() && *found) {
    verdict = *found;
  }
  return found;
}

absl::StatusOr<Verdict> TuningSelector::checkModel(
    const std::string &tunedPath, const std::string &defaultPath,
    const std::string &function, const std::string &planKey,
    const std::string &description) {
  absl::Status status = openDb();
  status.Update(ensureScratch());
  if (!status.ok()) {
    return status;
  }
  if (!lock) {
    absl::StatusOr<std::unique_ptr<MeasureLock>> acquired =
        MeasureLock::acquire(MeasureLock::defaultPath(), notify, interrupted);
    if (!acquired.ok()) {
      return acquired.status();
    }
    lock = *std::move(acquired);
  }
  WholeModelInputs check;
  check.tunedPath = tunedPath;
  check.defaultPath = defaultPath;
  check.function = function;
  check.planKey = planKey;
  check.device = inputs.target->profile().tuningKey;
  check.description = description;
  check.versions = versions();
  check.retune = inputs.options->retune;
  check.rounds.stop = interrupted;
  // Undecided rounds go on as long as the budget allows.
  if (inputs.options->tuneBudgetSeconds > 0) {
    double left = started + inputs.options->tuneBudgetSeconds - clock.now();
    check.rounds.maxSeconds = std::clamp(left, 1.5, check.rounds.maxSeconds);
  }
  bool measured = false;
  absl::StatusOr<Verdict> result =
      checkWholeModel(check, *db, *worker, clock, measured);
  lock.reset();
  if (result.ok()) {
    verdict = *result;
  }
  return result;
}

absl::Status TuningSelector::writeReport() const {
  const std::string &path = inputs.options->tuneReport;
  if (path.empty()) {
    return absl::OkStatus();
  }
  return tune::writeReport(path,
                           formatReport(tuned, verdict ? &*verdict : nullptr));
}

std::string planKeyOf(ModuleOp tuned, ModuleOp byDefault) {
  // Constants' bytes do not decide speed and may be many.
  std::string text;
  llvm::raw_string_ostream os(text);
  printElided(tuned, os);
  os << "---\n";
  printElided(byDefault, os);
  return problemKey(text);
}

} // namespace minic::tune
