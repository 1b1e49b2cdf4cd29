// SPDX-License-Identifier: Apache-2.0
//
// The order of a search on a GPU. Its clock does not notice what the cores do,
// so that candidates are built while others are screened; finals run when the
// builders are idle. What a library offers for a call is known once the call
// was loaded, so candidates that stand for several are built first.

#include "compiler/tune/search/Search.h"

#include "absl/strings/str_cat.h"

#include <algorithm>

#include <unistd.h>

namespace minic::tune {

void Autotuner::enqueue(Search &search, size_t candidate) {
  pool.add(owners.size(), search.job(candidate));
  owners.push_back({&search, candidate});
  search.queued[candidate] = true;
}

std::vector<Prospect>
Autotuner::Search::prospects(const SelectionPolicy &policy) const {
  std::vector<Prospect> prospects;
  for (size_t i = 0; i < size(); ++i) {
    const Row &row = record.rows[i];
    bool isTimed = row.status == RowStatus::Verified &&
                   (!policy.deterministic || row.deterministic);
    const CandidateSpec &spec = candidate(i);
    prospects.push_back(
        {spec.kind, spec.expectedUs > 0 ? spec.expectedUs : spec.estimateUs,
         isTimed ? row.screenUs : 0});
  }
  return prospects;
}

void Autotuner::enqueueFirst(Search &search) {
  std::vector<bool> isFirst =
      firstToLookAt(search.prospects(options.policy), options.prospects);
  for (size_t i = 0; i < search.size(); ++i) {
    if (search.steps[i] == Search::Step::Waiting && !search.queued[i] &&
        isFirst[i]) {
      enqueue(search, i);
    }
  }
}

void Autotuner::enqueuePromising(Search &search) {
  std::vector<Prospect> prospects = search.prospects(options.policy);
  for (size_t i = 0; i < search.size(); ++i) {
    if (search.steps[i] == Search::Step::Waiting && !search.queued[i] &&
        isPromising(prospects, i, options.prospects)) {
      enqueue(search, i);
    }
  }
}

absl::Status Autotuner::ruleOut(Search &search, size_t candidate) {
  // Prospects are as many as candidates, too many to list for each of them.
  if (options.prospects.isExhaustive ||
      isPromising(search.prospects(options.policy), candidate,
                  options.prospects)) {
    if (search.steps[candidate] == Search::Step::Waiting &&
        !search.queued[candidate]) {
      enqueue(search, candidate);
    }
    return absl::OkStatus();
  }
  search.reject(candidate, RowStatus::RuledOut, "by its estimate");
  return store(search, candidate);
}

absl::Status Autotuner::pump(double seconds) {
  auto onDone = [&](size_t job, const BuildOutcome &outcome) {
    auto [search, candidate] = owners[job];
    search->record.buildSeconds += outcome.buildMs / 1000;
    if (search->steps[candidate] != Search::Step::Waiting) {
      ::unlink(search->artifact(candidate).c_str()); // ruled out meanwhile
      return;
    }
    search->built(candidate, outcome);
    if (search->steps[candidate] == Search::Step::Settled) {
      storeStatus.Update(store(*search, candidate));
    }
  };
  absl::Status status = pool.pump(seconds, onDone);
  status.Update(storeStatus);
  return status.ok() && stopped() ? cancelled() : status;
}

absl::Status Autotuner::awaitBuild(Search &search, size_t candidate) {
  // Builders that wait for work get it even where this one is there.
  double begun = clock.now();
  absl::Status status = pump(0);
  while (status.ok() && search.steps[candidate] == Search::Step::Waiting &&
         pool.pending() > 0) {
    status = pump(0.1);
  }
  search.record.waitSeconds += clock.now() - begun;
  // What spills is slow; it is looked at only while nothing else works, or
  // where all is.
  auto spilled = search.spillBytes.find(candidate);
  if (status.ok() && search.steps[candidate] == Search::Step::Built &&
      spilled != search.spillBytes.end() && !options.prospects.isExhaustive &&
      select(search.record.rows, options.policy).row >= 0) {
    search.reject(candidate, RowStatus::BuildFailed,
                  absl::StrCat("spills ", spilled->second, " B a thread"));
    status = store(search, candidate);
  }
  return status;
}

absl::Status Autotuner::expandOne(Search &search, size_t candidate) {
  std::vector<runtime::AlgorithmReply> algorithms;
  int most = search.candidate(candidate).hasCheaperPeer
                 ? options.algorithmsBesidePeer
                 : options.algorithms;
  double begun = clock.now(), loaded = search.bench->loadSeconds;
  std::optional<BenchFailure> failure = search.bench->algorithms(
      search.id(candidate), most, search.task->scratchLimit, algorithms);
  search.record.listSeconds +=
      search.secondsBesideLoads(clock.now(), begun, loaded);
  if (!search.bench->fatal().ok()) {
    return search.bench->fatal();
  }
  if (failure && (failure->status == RowStatus::Crashed ||
                  failure->status == RowStatus::Hung)) {
    search.reject(candidate, failure->status, failure->reason);
    return store(search, candidate);
  }
  // Where the library names none it is a candidate like any other: the first
  // one of its heuristic.
  for (const runtime::AlgorithmReply &algorithm : algorithms) {
    absl::StatusOr<CandidateSpec> spec =
        search.task->expand(search.candidate(candidate), algorithm);
    if (!spec.ok()) {
      return spec.status();
    }
    spec->expandable = false;
    search.makeNameUnique(*spec);
    search.steps[candidate] = Search::Step::Expanded;
    search.add(*std::move(spec), search.resumes);
    size_t added = search.size() - 1;
    search.bench->add(search.id(added), search.artifact(added));
    if (search.steps[added] == Search::Step::Waiting) {
      enqueue(search, added);
    }
  }
  return absl::OkStatus();
}

absl::Status Autotuner::expand(Search &search) {
  for (size_t i = 0; i < search.task->candidates.size(); ++i) {
    if (!search.candidate(i).expandable || !search.task->expand) {
      continue;
    }
    if (absl::Status status = awaitBuild(search, i); !status.ok()) {
      return status;
    }
    if (search.steps[i] == Search::Step::Built) {
      if (absl::Status status = expandOne(search, i); !status.ok()) {
        return status;
      }
    }
  }
  return absl::OkStatus();
}

absl::Status Autotuner::searchOnGpu(std::vector<Search> &searches,
                                    std::vector<TunedProblem> &results) {
  owners.clear();
  storeStatus = absl::OkStatus();
  std::vector<Search *> all;
  for (Search &search : searches) {
    all.push_back(&search);
    for (size_t i = 0; i < search.size(); ++i) {
      if (search.steps[i] == Search::Step::Waiting &&
          search.candidate(i).expandable) {
        enqueue(search, i);
      }
    }
  }
  for (Search &search : searches) {
    enqueueFirst(search);
  }
  // Screens take all but a fifth of the budget, in equal parts.
  auto setDeadline = [&](Search &search, double share) {
    double left = start + options.budgetSeconds - clock.now();
    search.deadline =
        clock.now() + share * left / (problems - search.position + 1);
  };
  absl::Status status;
  for (Search &search : searches) {
    setDeadline(search, 0.5);
    status = openBench(search);
    if (status.ok()) {
      status = expand(search);
    }
    if (status.ok()) {
      status = screen(search, /*isFirst=*/true);
    }
    if (!status.ok()) {
      break;
    }
    // Built while the other problems' first ones are screened.
    enqueuePromising(search);
  }
  for (Search &search : searches) {
    if (!status.ok()) {
      break;
    }
    setDeadline(search, 0.6);
    status = screen(search);
  }
  if (status.ok()) {
    status = descend(all);
  }
  pool.dropWaiting();
  while (status.ok() && pool.pending() > 0) {
    status = pump(0.1);
  }
  for (Search &search : searches) {
    double left = start + options.budgetSeconds - clock.now();
    search.deadline = clock.now() + left / (problems - search.position + 1);
    if (status.ok()) {
      status = runFinal(search);
    }
    closeBench(search);
    ::unlink(search.problemPath.c_str());
    if (status.ok()) {
      status = finish(search);
    }
    if (status.ok()) {
      results[search.index].record = std::move(search.record);
      results[search.index].measured = true;
    }
  }
  return status;
}

} // namespace minic::tune
