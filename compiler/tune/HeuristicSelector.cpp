// SPDX-License-Identifier: Apache-2.0

#include "compiler/tune/HeuristicSelector.h"

#include "llvm/Support/raw_ostream.h"

#include "absl/strings/str_cat.h"

using namespace mlir;

namespace minic::tune {

static LogicalResult fail(MLIRContext *context, const absl::Status &status) {
  return emitError(UnknownLoc::get(context)) << std::string(status.message());
}

/// What is taken without a record. What a library does twice alike is only
/// known once measured; a generated kernel splits no sum between threads.
static const CandidateSpec *bestEstimate(const TuningTask &task,
                                         bool deterministic) {
  for (const CandidateSpec &candidate : task.candidates) {
    if (!deterministic || !candidate.needsLibrary) {
      return &candidate;
    }
  }
  return nullptr;
}

FailureOr<std::vector<kernel::SelectedChoice>>
HeuristicSelector::select(ArrayRef<kernel::FusionOp> fusions) {
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
  if (absl::Status status = dumpProblems(**tasks, options); !status.ok()) {
    return fail(context, status);
  }
  TuningDb::Options dbOptions;
  dbOptions.path = databasePath(options);
  dbOptions.access = TuningDb::Access::ReadOnly;
  dbOptions.notify = [](const std::string &line) {
    llvm::errs() << "minic: " << line << '\n';
  };
  absl::StatusOr<std::unique_ptr<TuningDb>> db = TuningDb::open(dbOptions);
  if (!db.ok() && !absl::IsNotFound(db.status())) {
    return fail(context, db.status());
  }
  SelectionPolicy policy;
  policy.deterministic = options.deterministic;
  std::vector<kernel::SelectedChoice> choices;
  for (const TuningTask &task : (*tasks)->tasks) {
    kernel::SelectedChoice &choice = choices.emplace_back();
    const ProblemSpec &problem = task.problem;
    std::string why = "not measured";
    if (db.ok()) {
      absl::StatusOr<Lookup> found = (*db)->find(problem);
      if (!found.ok()) {
        return fail(context, found.status());
      }
      const std::vector<Row> &rows = found->record.rows;
      Selection selection;
      if (found->freshness == Freshness::Fresh) {
        selection = tune::select(rows, policy);
      }
      if (found->freshness == Freshness::Stale) {
        why = "its tuning record is of another version and was not used";
      }
      if (selection.row >= 0) {
        choice = describeSelection(rows, selection, "database", context);
        if (!choice.choice) {
          return fail(context, absl::DataLossError(absl::StrCat(
                                   "tuning database '", dbOptions.path,
                                   "': the record of ", problem.description,
                                   " has a choice that cannot be read")));
        }
      }
    }
    if (!choice.choice) {
      const CandidateSpec *best = bestEstimate(task, options.deterministic);
      if (!best) {
        return emitError(UnknownLoc::get(context))
               << "unsupported: " << problem.description
               << ": --deterministic: no candidate is deterministic by "
                  "construction; --tune=on measures which are";
      }
      Row row;
      row.candidate = *best;
      choice.choice = parseChoice(row, context);
      choice.origin = "heuristic";
      choice.reason = absl::StrCat(
          best->name, ", best estimate of ", task.candidates.size(),
          " candidates",
          options.deterministic ? " that is deterministic by construction" : "",
          ", ", why);
    }
    options.log.line(LogTopic::Autotuning, llvm::Twine(problem.description) +
                                               ": " + choice.origin + ", " +
                                               choice.reason);
  }
  for (size_t task : (*tasks)->taskOf) {
    result.push_back(choices[task]);
  }
  return result;
}

} // namespace minic::tune
