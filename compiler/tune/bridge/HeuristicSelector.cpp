// SPDX-License-Identifier: Apache-2.0
//
// Asks the database, then shipped records, then takes the first candidate.

#include "compiler/tune/bridge/HeuristicSelector.h"

#include "compiler/tune/bridge/ShippedDb.h"
#include "compiler/tune/search/SourceVersions.h"

#include "absl/strings/str_cat.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace minic::tune {

/// What is taken without a record. What a library or a kernel of the user's
/// does twice alike is only known once measured; a generated kernel splits no
/// sum between threads.
static const CandidateSpec *bestEstimate(const TuningTask &task,
                                         bool deterministic) {
  for (const CandidateSpec &candidate : task.candidates) {
    bool isOfOthers = candidate.needsLibrary ||
                      candidate.label == toString(BackendLabel::User) ||
                      candidate.label == toString(BackendLabel::Plugin);
    if (!deterministic || !isOfOthers) {
      return &candidate;
    }
  }
  return nullptr;
}

/// What is expected of each candidate, where nothing was measured.
static void logCandidates(const TuningTask &task, const Log &log) {
  if (!log.has(LogTopic::Candidates)) {
    return;
  }
  for (const CandidateSpec &candidate : task.candidates) {
    log.line(LogTopic::Candidates,
             llvm::formatv("{0}: candidate {1}: expected to take {2:F2} us, "
                           "{3:F2} by its model",
                           task.problem.description, candidate.name,
                           candidate.expectedUs, candidate.estimateUs)
                 .str());
  }
}

FailureOr<std::vector<kernel::SelectedChoice>>
HeuristicSelector::select(ArrayRef<kernel::FusionOp> fusions) {
  std::vector<kernel::SelectedChoice> result;
  if (fusions.empty()) {
    return result;
  }
  MLIRContext *context = fusions.front()->getContext();
  const CompileOptions &options = *inputs.options;
  FailureOr<std::unique_ptr<TuningTasks>> tasks =
      makeTasks(fusions, inputs, /*areMeasured=*/false);
  if (failed(tasks)) {
    return failure();
  }
  if (absl::Status status = dumpProblems(**tasks, options); !status.ok()) {
    return emitStatus(context, status);
  }
  absl::Status opened = openDb(TuningDb::Access::ReadOnly);
  if (!opened.ok() && !absl::IsNotFound(opened)) {
    return emitStatus(context, opened);
  }
  SelectionPolicy policy = this->policy();
  std::vector<kernel::SelectedChoice> choices;
  for (const TuningTask &task : (*tasks)->tasks) {
    kernel::SelectedChoice &choice = choices.emplace_back();
    TunedProblem &known = tuned.emplace_back();
    const ProblemSpec &problem = task.problem;
    const std::string notMeasured = "not measured";
    std::string why = notMeasured, news;
    if (db) {
      absl::StatusOr<Lookup> found = db->find(problem);
      if (!found.ok()) {
        return emitStatus(context, found.status());
      }
      const Record *usable = findUsable(*found, problem.versions, policy);
      std::string changes =
          found->stale ? describeChanges(found->stale->problem.versions,
                                         problem.versions)
                       : "";
      if (usable) {
        known.record = *usable;
        known.selection = tune::select(known.record.rows, policy);
        news =
            changes.empty() ? "" : " (since it was measured: " + changes + ")";
      } else if (found->stale) {
        why = "its tuning record is of another version and was not used: " +
              changes;
      }
      if (known.selection.row >= 0) {
        absl::StatusOr<kernel::SelectedChoice> recorded = recordedChoice(
            known.record, known.selection, "database", options, context);
        if (!recorded.ok()) {
          return emitStatus(context, recorded.status());
        }
        choice = *std::move(recorded);
      }
    }
    if (!choice.choice && inputs.shipped) {
      ShippedAnswer answer = inputs.shipped->find(problem, policy);
      if (answer.choice) {
        choice = *std::move(answer.choice);
        news = why == notMeasured ? "" : " (" + why + ")";
      } else if (!answer.refusal.empty()) {
        why += (why == notMeasured ? ": " : "; ") + answer.refusal;
      }
    }
    if (!choice.choice) {
      logCandidates(task, options.log);
      const CandidateSpec *best = bestEstimate(task, options.deterministic);
      if (!best) {
        return emitError(UnknownLoc::get(context))
               << "unsupported: " << problem.description
               << ": --deterministic: no candidate is deterministic by "
                  "construction; --tune=on measures which are";
      }
      choice.choice = parseChoice(*best, context);
      choice.origin = "heuristic";
      choice.candidate = best->name;
      choice.expectedUs = best->expectedUs;
      choice.problem = problem.key;
      choice.reason = absl::StrCat(
          best->name, ", best estimate of ", task.candidates.size(),
          " candidates",
          options.deterministic ? " that is deterministic by construction" : "",
          ", ", why);
    }
    options.log.line(LogTopic::Autotuning,
                     llvm::Twine(problem.description) + ": " + choice.origin +
                         (choice.origin == shippedOrigin ? ": " : ", ") +
                         choice.reason + news);
  }
  for (size_t task : (*tasks)->taskOf) {
    result.push_back(choices[task]);
  }
  if (absl::Status status = chooseGenerated(**tasks, result, context);
      !status.ok()) {
    return emitStatus(context, status);
  }
  return result;
}

} // namespace minic::tune
