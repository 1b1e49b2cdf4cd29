// SPDX-License-Identifier: Apache-2.0
//
// The order of a search: look up, build everything, then problem by problem
// verify, screen and time, then store. Building and measuring never overlap,
// because on a CPU they would disturb each other.

#include "compiler/tune/database/Provisional.h"
#include "compiler/tune/search/Search.h"
#include "compiler/tune/search/SourceVersions.h"

#include "absl/strings/str_cat.h"

#include <algorithm>
#include <fstream>

#include <unistd.h>

namespace minic::tune {

/// Part of the budget after which no further build is started.
static constexpr double buildShare = 0.4;

void Autotuner::Search::built(size_t i, const BuildOutcome &outcome) {
  Row &row = record.rows[i];
  row.buildMs = outcome.buildMs;
  row.binaryHash = outcome.binaryHash;
  if (!outcome.ok) {
    return reject(i, RowStatus::BuildFailed, outcome.error);
  }
  steps[i] = Step::Built;
  if (outcome.spillBytes > 0) {
    spillBytes[i] = outcome.spillBytes;
  }
  if (outcome.binaryHash.empty()) {
    return;
  }
  auto [it, isNew] = byHash.emplace(outcome.binaryHash, i);
  if (!isNew && it->second != i) {
    reject(i, RowStatus::Duplicate,
           absl::StrCat("same binary as ", candidate(it->second).name));
  }
}

void Autotuner::Search::reject(size_t i, RowStatus status,
                               const std::string &reason) {
  Row &row = record.rows[i];
  row.status = status;
  row.reason = reason;
  row.screenUs = row.timeUs = 0;
  steps[i] = Step::Settled;
  ::unlink(artifact(i).c_str());
}

absl::Status Autotuner::cancelled() const {
  return absl::CancelledError(
      absl::StrCat("tuning was interrupted; ", stored,
                   " candidates that were measured are kept"));
}

void Autotuner::report(const Search &search, const char *phase, int left,
                       double remainingSeconds) {
  if (!options.progress) {
    return;
  }
  TuningProgress progress;
  progress.problem = search.position;
  progress.problems = problems;
  progress.description = search.task->problem.description;
  progress.phase = phase;
  progress.candidatesLeft = left;
  progress.elapsedSeconds = clock.now() - start;
  progress.remainingSeconds = remainingSeconds;
  options.progress(progress);
}

absl::Status Autotuner::store(Search &search, size_t candidate) {
  ++stored;
  if (options.settled) {
    options.settled(search.record.rows[candidate]);
  }
  return db.putRow(search.recordId, search.record.rows[candidate]);
}

/// What rejected the record of `problem`, for the error of a replay.
static absl::Status replayMiss(const ProblemSpec &problem, const Lookup &found,
                               size_t others) {
  std::string more =
      others > 0 ? absl::StrCat(" (and ", others, " more problems)") : "";
  if (!found.stale) {
    return absl::NotFoundError(absl::StrCat(
        "no tuning record of ", problem.description, " (problem ", problem.key,
        ") for this device", more, "; tune without replay once"));
  }
  return absl::NotFoundError(absl::StrCat(
      "the tuning record of ", problem.description, " (problem ", problem.key,
      ") is stale: ",
      describeChanges(found.stale->problem.versions, problem.versions), more));
}

/// What an earlier search settled of a candidate, if anything.
static const Row *findSettled(const Record &earlier,
                              const CandidateSpec &candidate) {
  for (const Row &row : earlier.rows) {
    bool timed = row.status == RowStatus::Verified && row.screenUs > 0;
    // What the machine lacked it may have by now.
    bool rejected = row.status != RowStatus::Verified &&
                    row.status != RowStatus::RuledOut &&
                    row.status != RowStatus::Skipped &&
                    row.status != RowStatus::Unavailable;
    if (row.candidate.name == candidate.name &&
        row.candidate.choice == candidate.choice && (timed || rejected)) {
      return &row;
    }
  }
  return nullptr;
}

void Autotuner::Search::add(CandidateSpec candidate, bool resumes) {
  const Row *known = resumes ? findSettled(found.record, candidate) : nullptr;
  Row &row = record.rows.emplace_back();
  if (known) {
    row = *known;
  }
  row.candidate = candidate;
  if (known && !row.binaryHash.empty()) {
    byHash.emplace(row.binaryHash, candidates.size());
  }
  steps.push_back(known ? Step::Settled : Step::Waiting);
  queued.push_back(false);
  candidates.push_back(std::move(candidate));
  record.candidates = static_cast<int64_t>(candidates.size());
}

void Autotuner::Search::makeNameUnique(CandidateSpec &spec) const {
  auto isTaken = [&](const std::string &name) {
    return std::any_of(
        candidates.begin(), candidates.end(),
        [&](const CandidateSpec &other) { return other.name == name; });
  };
  std::string name = spec.name;
  for (int use = 2; isTaken(spec.name); ++use) {
    spec.name = absl::StrCat(name, " (form ", use, ")");
  }
}

/// An exhaustive search is not answered with what a guided one found, nor one
/// that descends with what was found before any descent.
bool Autotuner::isLessThanAsked(const Record &record,
                                const TuningTask &task) const {
  auto isRuledOut = [](const Row &row) {
    return row.status == RowStatus::RuledOut;
  };
  bool hasRuledOut =
      std::any_of(record.rows.begin(), record.rows.end(), isRuledOut);
  if (options.prospects.isExhaustive) {
    return hasRuledOut ||
           !coversAll(record, task.candidates, task.problem.versions);
  }
  return isAskedToDescend(task) && !record.descended && !triesAll(record);
}

bool Autotuner::isGoneOn(const Lookup &found, const TuningTask &task) const {
  return found.freshness == Freshness::Fresh && !options.retune &&
         isAskedToDescend(task) && !found.record.descended &&
         found.record.state != RecordState::Provisional;
}

bool Autotuner::isWorthAnotherSearch(const Record &record) {
  return record.state == RecordState::Provisional && options.probeNoise &&
         isSearchedAgain(record.provisionalSearches, record.noise, [this] {
           if (!probed) {
             probed = options.probeNoise();
           }
           return *probed;
         });
}

bool Autotuner::isAnswer(const Record &record, const TuningTask &task) {
  if (options.retune || options.replay) {
    return !options.retune;
  }
  const Versions &now = task.problem.versions;
  bool isOfToday = record.problem.versions == now;
  return (isOfToday || coversAll(record, task.candidates, now)) &&
         !isLessThanAsked(record, task) && !isWorthAnotherSearch(record);
}

absl::Status Autotuner::lookUp(absl::Span<const TuningTask> tasks,
                               std::vector<TunedProblem> &results,
                               std::vector<Search> &searches) {
  results.assign(tasks.size(), {});
  searches.clear();
  for (size_t i = 0; i < tasks.size(); ++i) {
    absl::StatusOr<Lookup> found = db.find(tasks[i].problem);
    if (!found.ok()) {
      return found.status();
    }
    const Record *usable =
        findUsable(*found, tasks[i].problem.versions, options.policy);
    if (usable && isAnswer(*usable, tasks[i])) {
      results[i].record = *usable;
      continue;
    }
    results[i].wasStale = found->freshness == Freshness::Stale;
    Search &search = searches.emplace_back();
    search.task = &tasks[i];
    search.index = i;
    search.position = static_cast<int>(searches.size());
    search.found = *std::move(found);
  }
  return absl::OkStatus();
}

absl::Status Autotuner::prepare(Search &search) {
  const ProblemSpec &problem = search.task->problem;
  search.record.problem = problem;
  // What was undecided for noise is not gone on with.
  if (search.found.freshness == Freshness::Stale &&
      search.found.stale->state != RecordState::Provisional) {
    search.found.record = *std::move(search.found.stale);
    keepFreshRows(search.found.record, problem.versions);
  }
  bool isGoneOn = this->isGoneOn(search.found, *search.task);
  if (isGoneOn) {
    keepFreshRows(search.found.record, problem.versions); // without their final
  }
  // One that found nothing that works starts over: perhaps it was the machine.
  search.resumes = (search.found.freshness != Freshness::Fresh || isGoneOn) &&
                   !options.retune && select(search.found.record.rows).row >= 0;
  for (const CandidateSpec &candidate : search.task->candidates) {
    search.add(candidate, search.resumes);
  }
  std::string stem = absl::StrCat(options.scratchDirectory, "/", problem.key);
  search.problemPath = stem + ".mlir";
  search.artifactStem = stem;
  search.expectedPath = stem + ".expected";
  std::ofstream file(search.problemPath, std::ios::binary);
  file << problem.text;
  file.close();
  if (!file) {
    return absl::ResourceExhaustedError(
        absl::StrCat("cannot write '", search.problemPath, "'"));
  }
  // A finished record stays until the search is finished.
  bool isRestart = options.retune || search.found.freshness == Freshness::Fresh;
  absl::StatusOr<int64_t> id =
      db.begin(problem, search.record.candidates, isRestart);
  search.recordId = id.ok() ? *id : 0;
  return id.ok() && search.resumes ? storeSettled(search) : id.status();
}

/// So that a killed search keeps them too.
absl::Status Autotuner::storeSettled(const Search &search) {
  for (size_t i = 0; i < search.size(); ++i) {
    if (search.steps[i] != Search::Step::Settled) {
      continue;
    }
    absl::Status status = db.putRow(search.recordId, search.record.rows[i]);
    if (!status.ok()) {
      return status;
    }
  }
  return absl::OkStatus();
}

absl::Status Autotuner::confirm(const std::vector<Search> &searches) const {
  int64_t candidates = 0;
  for (const Search &search : searches) {
    candidates += std::count(search.steps.begin(), search.steps.end(),
                             Search::Step::Waiting);
  }
  return options.confirm && candidates > 0
             ? options.confirm(candidates, problems)
             : absl::OkStatus();
}

absl::StatusOr<std::vector<TunedProblem>>
Autotuner::tune(absl::Span<const TuningTask> tasks) {
  start = clock.now();
  stored = 0;
  probed.reset();
  std::vector<TunedProblem> results;
  std::vector<Search> searches;
  if (absl::Status status = lookUp(tasks, results, searches); !status.ok()) {
    return status;
  }
  if (options.replay && !searches.empty()) {
    return replayMiss(searches[0].task->problem, searches[0].found,
                      searches.size() - 1);
  }
  if (options.beforeSearch && !searches.empty()) {
    absl::Status status = options.beforeSearch();
    if (status.ok()) {
      status = lookUp(tasks, results, searches);
    }
    if (!status.ok()) {
      return status;
    }
    start = clock.now();
  }
  problems = static_cast<int>(searches.size());
  for (Search &search : searches) {
    if (absl::Status status = prepare(search); !status.ok()) {
      return status;
    }
  }
  absl::Status status = confirm(searches);
  if (!status.ok()) {
    return status;
  }
  bool onGpu = !searches.empty() && searches[0].task->onGpu;
  status = onGpu ? searchOnGpu(searches, results) : build(searches);
  if (!status.ok()) {
    return status;
  }
  for (Search &search : searches) {
    if (onGpu) {
      break;
    }
    // What is left of the budget, in equal parts.
    double left = start + options.budgetSeconds - clock.now();
    search.deadline = clock.now() + left / (problems - search.position + 1);
    absl::Status status = measure(search);
    ::unlink(search.problemPath.c_str());
    if (!status.ok()) {
      return status;
    }
    results[search.index].record = std::move(search.record);
    results[search.index].measured = true;
  }
  for (size_t i = 0; i < tasks.size(); ++i) {
    results[i].selection = select(results[i].record.rows, options.policy);
    if (results[i].selection.row < 0) {
      std::string text = absl::StrCat(tasks[i].problem.description, ": ",
                                      results[i].selection.reason);
      return isMinicsFault(results[i].record.rows)
                 ? absl::InternalError(text)
                 : absl::FailedPreconditionError(text);
    }
  }
  return results;
}

absl::Status Autotuner::build(std::vector<Search> &searches) {
  // Best candidates of every problem first, so that a budget that ends leaves
  // each with its most promising ones.
  std::vector<Owned> owned;
  size_t most = 0;
  for (Search &search : searches) {
    most = std::max(most, search.size());
  }
  for (size_t i = 0; i < most; ++i) {
    for (Search &search : searches) {
      if (i < search.size() && search.steps[i] == Search::Step::Waiting) {
        owned.push_back({&search, i});
      }
    }
  }
  return buildAll(std::move(owned), [this] {
    return options.budgetSeconds > 0 &&
           clock.now() - start >= buildShare * options.budgetSeconds;
  });
}

absl::Status Autotuner::buildAll(std::vector<Owned> owned,
                                 const std::function<bool()> &isLate) {
  std::vector<BuildJob> jobs;
  for (auto [search, candidate] : owned) {
    jobs.push_back(search->job(candidate));
  }
  if (jobs.empty()) {
    return absl::OkStatus();
  }
  size_t done = 0;
  double begun = clock.now();
  absl::Status storeStatus;
  auto onDone = [&](size_t job, const BuildOutcome &outcome) {
    auto [search, candidate] = owned[job];
    ++done;
    double elapsed = clock.now() - begun;
    search->built(candidate, outcome);
    search->record.buildSeconds += outcome.buildMs / 1000;
    if (search->steps[candidate] == Search::Step::Settled && storeStatus.ok()) {
      storeStatus = store(*search, candidate);
    }
    report(*search, "build", static_cast<int>(jobs.size() - done),
           elapsed / done * (jobs.size() - done));
  };
  auto stop = [&] { return stopped() || !storeStatus.ok() || isLate(); };
  absl::Status status = pool.build(jobs, onDone, stop);
  status.Update(storeStatus);
  return status.ok() && stopped() ? cancelled() : status;
}

absl::Status Autotuner::buildOne(Search &search, size_t candidate) {
  BuildJob job = search.job(candidate);
  auto onDone = [&](size_t, const BuildOutcome &outcome) {
    search.built(candidate, outcome);
    search.record.buildSeconds += outcome.buildMs / 1000;
  };
  absl::Status status = pool.build({&job, 1}, onDone, [] { return false; });
  if (status.ok() && search.steps[candidate] == Search::Step::Settled) {
    status = store(search, candidate);
  }
  return status;
}

absl::Status Autotuner::finish(Search &search) {
  Record &record = search.record;
  int64_t looked = 0, dropped = 0;
  for (size_t i = 0; i < search.size(); ++i) {
    if (search.isDropped(i)) {
      ++dropped;
      continue;
    }
    looked += search.steps[i] == Search::Step::Settled;
    if (search.steps[i] != Search::Step::Settled) {
      search.reject(i, RowStatus::Skipped, "the budget ended");
    }
  }
  for (size_t i = search.size(); dropped > 0 && i-- > 0;) {
    if (search.isDropped(i)) {
      record.rows.erase(record.rows.begin() + static_cast<ptrdiff_t>(i));
      --record.candidates;
    }
  }
  record.coverage =
      record.rows.empty() ? 1 : double(looked) / double(record.rows.size());
  record.state = looked != record.candidates ? RecordState::Partial
                 : search.isUndecided        ? RecordState::Provisional
                                             : RecordState::Complete;
  record.created = utcNow();
  record.descended = isAskedToDescend(*search.task);
  if (search.space || search.task->countLegal) {
    // Those that a library listed were not counted before.
    int64_t listed = int64_t(record.rows.size()) - countFound(record) -
                     int64_t(search.task->candidates.size());
    record.legal = listed + (search.space ? int64_t(search.space->size())
                                          : search.task->countLegal());
  }
  // A record in which nothing can be used would be a hit that helps nobody.
  if (select(record.rows, options.policy).row < 0) {
    return absl::OkStatus();
  }
  absl::StatusOr<Record> stored = db.finish(search.recordId, record);
  if (!stored.ok()) {
    return stored.status();
  }
  stored->listSeconds = record.listSeconds;
  stored->loadSeconds = record.loadSeconds;
  stored->waitSeconds = record.waitSeconds;
  record = *std::move(stored);
  return absl::OkStatus();
}

} // namespace minic::tune
