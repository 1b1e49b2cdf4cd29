// SPDX-License-Identifier: Apache-2.0
//
// Coordinate descent: whole plans first, then problem by problem, until a pass
// over all of them changes nothing or time is up.

#include "compiler/tune/model/Descent.h"
#include "compiler/tune/database/Provisional.h"
#include "compiler/tune/model/TrialContest.h"
#include "compiler/tune/model/WholeModelVerdicts.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

#include <algorithm>
#include <filesystem>
#include <set>

namespace minic::tune {

/// The choices after the trials of `verdict`; none if they do not fit.
static std::optional<Choices> choicesOf(const DescentInputs &inputs,
                                        const Verdict &verdict) {
  Choices choices(inputs.problems.size(), 0);
  if (!verdict.tunedShips) {
    return choices;
  }
  bool isAnyTaken = false;
  for (const Trial &trial : verdict.trials) {
    if (!trial.isTaken) {
      continue;
    }
    isAnyTaken = true;
    for (const Change &change : trial.changes) {
      auto problem = std::find_if(
          inputs.problems.begin(), inputs.problems.end(),
          [&](const DescentProblem &p) { return p.key == change.problem; });
      if (problem == inputs.problems.end()) {
        return std::nullopt;
      }
      const auto &names = problem->candidates;
      auto name = std::find(names.begin(), names.end(), change.candidate);
      if (name == names.end()) {
        return std::nullopt;
      }
      choices[problem - inputs.problems.begin()] = int(name - names.begin());
    }
  }
  return isAnyTaken ? std::optional(choices) : std::nullopt;
}

absl::StatusOr<std::optional<DescentResult>>
findDescent(const DescentInputs &inputs, TuningDb &db) {
  const WholeModelInputs &model = inputs.model;
  if (model.retune) {
    return std::nullopt;
  }
  absl::StatusOr<std::optional<Verdict>> stored =
      db.findVerdict(descentKey(model), model.device, model.versions);
  if (!stored.ok()) {
    return stored.status();
  }
  if (!*stored || ((*stored)->isProvisional &&
                   isSearchedAgain((*stored)->provisionalSearches,
                                   (*stored)->noise, model.probeNoise))) {
    return std::nullopt;
  }
  std::optional<Choices> choices = choicesOf(inputs, **stored);
  if (!choices) {
    return std::nullopt;
  }
  return DescentResult{**std::move(stored), *std::move(choices)};
}

namespace {

class Descent {
public:
  Descent(const DescentInputs &inputs, Worker &worker, const Clock &clock)
      : inputs(inputs), clock(clock), begun(clock.now()),
        contest(inputs.model, inputs.trialSeconds, worker, clock) {}
  ~Descent();

  absl::StatusOr<Verdict> run();

private:
  struct Plan {
    Choices choices;
    TrialPlan artifact;
  };
  absl::StatusOr<Plan> build(const Choices &choices);
  void discard(Plan &plan);
  bool isInterrupted() const {
    return inputs.model.rounds.stop && inputs.model.rounds.stop();
  }
  double secondsLeft() const { return begun + inputs.maxSeconds - clock.now(); }
  /// Whether there is time for one more trial, and to compare what descent ends
  /// with and what it started from.
  bool hasTime() const;
  /// A plan not tried yet; none if all neighbours of this one were.
  std::optional<Choices> next();
  std::vector<Change> changesTo(const Choices &choices) const;
  std::string describeChange(const Choices &choices) const;
  absl::StatusOr<Figures> time(Plan &changed);
  /// Tries a plan; it becomes `current` where it is better.
  absl::Status attempt(const Choices &choices);
  /// Of what descent ended with against what it started from.
  absl::Status conclude();

  const DescentInputs &inputs;
  const Clock &clock;
  const double begun;
  TrialContest contest;
  Plan start, current;
  std::set<Choices> seen; // tried, or started from
  /// All candidates of all problems, in the order in which they are asked.
  std::vector<std::pair<size_t, int>> asks;
  size_t ask = 0; // that is asked now
  int plansBuilt = 0;
  double trialSeconds = 0; // what the last one took, building included
  int taken = 0;
  Verdict verdict;
};

} // namespace

Descent::~Descent() {
  discard(current);
  discard(start);
}

void Descent::discard(Plan &plan) {
  contest.unload(plan.artifact);
  if (!plan.artifact.path.empty()) {
    std::error_code ignored;
    std::filesystem::remove(plan.artifact.path, ignored);
  }
}

absl::StatusOr<Descent::Plan> Descent::build(const Choices &choices) {
  absl::StatusOr<std::string> path = inputs.build(choices);
  if (!path.ok()) {
    return path.status();
  }
  return Plan{choices, {absl::StrCat("plan ", ++plansBuilt), *std::move(path)}};
}

bool Descent::hasTime() const {
  double least = contest.leastSeconds();
  if (verdict.trials.empty()) {
    return least < inputs.maxSeconds; // whatever building the first plan took
  }
  return secondsLeft() >
         std::max(trialSeconds, least) + (taken > 0 ? least : 0);
}

/// What may gain most first: the best rivals of problems that take long, then
/// those of others. A problem's own choice comes where it was changed before.
static std::vector<std::pair<size_t, int>>
orderOf(const std::vector<DescentProblem> &problems) {
  std::vector<std::pair<size_t, int>> order;
  for (size_t i = 0; i < problems.size(); ++i) {
    for (int rank = 0; rank < int(problems[i].candidates.size()); ++rank) {
      order.push_back({i, rank});
    }
  }
  auto worth = [&](std::pair<size_t, int> ask) {
    return problems[ask.first].share / std::max(ask.second, 1);
  };
  std::stable_sort(order.begin(), order.end(),
                   [&](auto a, auto b) { return worth(a) > worth(b); });
  return order;
}

std::optional<Choices> Descent::next() {
  for (const Choices &plan : inputs.plans) {
    if (!seen.count(plan)) {
      return plan;
    }
  }
  // On from the last one, so that all are asked before one is asked again.
  for (size_t count = 0; count < asks.size(); ++count) {
    auto [problem, candidate] = asks[ask];
    Choices choices = current.choices;
    choices[problem] = candidate;
    if (!seen.count(choices)) {
      return choices;
    }
    ask = (ask + 1) % asks.size();
  }
  return std::nullopt;
}

std::vector<Change> Descent::changesTo(const Choices &choices) const {
  std::vector<Change> changes;
  for (size_t i = 0; i < choices.size(); ++i) {
    if (choices[i] != current.choices[i]) {
      const DescentProblem &problem = inputs.problems[i];
      changes.push_back({problem.key, problem.candidates[choices[i]]});
    }
  }
  return changes;
}

std::string Descent::describeChange(const Choices &choices) const {
  std::string text;
  int others = -1;
  for (size_t i = 0; i < choices.size(); ++i) {
    if (choices[i] != current.choices[i] && others++ < 0) {
      text = inputs.problems[i].description;
    }
  }
  return others > 0 ? absl::StrCat(text, " and ", others, " more") : text;
}

absl::StatusOr<Figures> Descent::time(Plan &changed) {
  return contest.time(changed.artifact, current.artifact,
                      std::max(0.0, secondsLeft()));
}

absl::Status Descent::attempt(const Choices &choices) {
  double started = clock.now();
  seen.insert(choices);
  Trial trial;
  trial.changes = changesTo(choices);
  absl::StatusOr<Plan> changed = build(choices);
  absl::StatusOr<Figures> figures =
      changed.ok() ? time(*changed) : changed.status();
  trialSeconds = clock.now() - started;
  if (isInterrupted()) {
    if (changed.ok()) {
      discard(*changed);
    }
    return absl::CancelledError("interrupted");
  }
  absl::Status status;
  if (figures.ok()) {
    trial.backToBack = timeWithoutWaits(*figures);
    trial.call = figures->call;
    trial.isTaken = mayReplace(*figures);
  } else {
    trial.refusal = std::string(figures.status().message());
    // Perhaps the worker died, and nothing is loaded any more.
    contest.unload(current.artifact);
    status = contest.load(current.artifact);
  }
  if (trial.isTaken) {
    ++taken;
    if (current.choices == start.choices) {
      contest.unload(start.artifact); // its file is needed at the end
    } else {
      discard(current);
    }
    current = *std::move(changed);
  } else if (changed.ok()) {
    discard(*changed);
  }
  verdict.trials.push_back(std::move(trial));
  return status;
}

absl::Status Descent::conclude() {
  verdict.tunedShips = taken > 0;
  if (taken == 1) {
    const Trial &trial =
        *std::find_if(verdict.trials.begin(), verdict.trials.end(),
                      [](const Trial &trial) { return trial.isTaken; });
    verdict.backToBack = trial.backToBack;
    verdict.call = trial.call;
  } else if (taken > 1) {
    absl::StatusOr<Figures> figures =
        contest.timeAnew(current.artifact, start.artifact,
                         std::max(contest.leastSeconds(), secondsLeft()));
    if (isInterrupted()) {
      return absl::CancelledError("interrupted");
    }
    if (!figures.ok()) {
      return figures.status();
    }
    verdict.backToBack = timeWithoutWaits(*figures);
    verdict.call = figures->call;
    verdict.tunedShips = mayReplace(*figures);
  }
  return absl::OkStatus();
}

absl::StatusOr<Verdict> Descent::run() {
  absl::StatusOr<Plan> first = build(Choices(inputs.problems.size(), 0));
  if (!first.ok()) {
    return first.status();
  }
  start = *std::move(first);
  seen.insert(start.choices);
  asks = orderOf(inputs.problems);
  if (absl::Status status = contest.begin(start.artifact); !status.ok()) {
    return status;
  }
  current = start;
  trialSeconds = clock.now() - begun;
  DescentProgress progress;
  progress.trials = int(inputs.plans.size());
  progress.maxSeconds = inputs.maxSeconds;
  for (const DescentProblem &problem : inputs.problems) {
    progress.trials += int(problem.candidates.size()) - 1;
  }
  std::optional<Choices> choices;
  while ((choices = next()) && hasTime()) {
    ++progress.trial;
    progress.trials = std::max(progress.trials, progress.trial);
    progress.description = describeChange(*choices);
    progress.taken = taken;
    progress.elapsedSeconds = clock.now() - begun;
    if (inputs.progress) {
      inputs.progress(progress);
    }
    if (absl::Status status = attempt(*choices); !status.ok()) {
      return status;
    }
  }
  if (absl::Status status = conclude(); !status.ok()) {
    return status;
  }
  const WholeModelInputs &model = inputs.model;
  verdict.plan = descentKey(model);
  verdict.device = model.device;
  verdict.description = model.description;
  verdict.versions = model.versions;
  verdict.created = utcNow();
  verdict.clock = contest.smClock();
  verdict.noise = contest.noise();
  verdict.isProvisional = contest.isUndecided();
  if (model.onGpu) {
    verdict.reason = absl::StrCat("timed by ", contest.describeWay());
  }
  if (choices) {
    absl::StrAppend(&verdict.reason, verdict.reason.empty() ? "" : "; ",
                    "time was up before all were tried");
  }
  return std::move(verdict);
}

absl::StatusOr<DescentResult> descend(const DescentInputs &inputs, TuningDb &db,
                                      Worker &worker, const Clock &clock) {
  absl::StatusOr<Verdict> verdict = Descent(inputs, worker, clock).run();
  if (!verdict.ok()) {
    return verdict.status();
  }
  // An earlier verdict may be better evidence.
  if (absl::Status status = storeVerdict(*verdict, db); !status.ok()) {
    return status;
  }
  std::optional<Choices> choices = choicesOf(inputs, *verdict);
  if (!choices) {
    return absl::NotFoundError("descent: the stored verdict does not fit");
  }
  return DescentResult{*std::move(verdict), *std::move(choices),
                       /*measured=*/true};
}

std::string formatProgress(const DescentProgress &progress) {
  return absl::StrFormat(
      "trying change %d of %d in the whole model: %s, %d taken, %.0f s of at "
      "most %.0f",
      progress.trial, progress.trials, progress.description, progress.taken,
      progress.elapsedSeconds, progress.maxSeconds);
}

} // namespace minic::tune
