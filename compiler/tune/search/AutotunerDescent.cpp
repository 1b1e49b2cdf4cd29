// SPDX-License-Identifier: Apache-2.0
//
// Descent of the Autotuner: after the screen it builds, verifies and screens
// neighbours of the fastest rows, a few at a time. Searches on a GPU take
// turns, so that one's neighbours are built while another's are screened.

#include "compiler/tune/search/Search.h"

#include <algorithm>

namespace minic::tune {

/// Part of what is left of the budget that a descent takes at most: the finals
/// need the rest.
static constexpr double budgetShare = 0.3;

/// One search's descent.
struct Autotuner::Descent {
  Search *search = nullptr;
  double most = 0;     // neighbours that it may still look at
  double deadline = 0; // clock time
  size_t added = 0;    // the first candidate of this round
  bool isDone = false;
};

double Autotuner::mostNeighbours(const Descent &descent) const {
  double most = std::min(descent.most, double(options.descent.atOnce));
  if (options.budgetSeconds <= 0) {
    return most;
  }
  // As much time for each as candidates took until now.
  double each = (clock.now() - start) / std::max(stored, 1);
  return std::min(most, (descent.deadline - clock.now()) / each);
}

absl::Status Autotuner::addNeighbours(Descent &descent) {
  Search &search = *descent.search;
  descent.added = search.size();
  double most = mostNeighbours(descent);
  std::optional<NextSteps> next;
  if (most >= 1) {
    search.settleScreen(); // so that its times can be compared
    next = nextSteps(*search.space, search.record.rows, options.descent,
                     options.policy);
  }
  if (!next) {
    descent.isDone = true;
    return absl::OkStatus();
  }
  std::string from = search.record.rows[next->from].candidate.name;
  next->points.resize(std::min(next->points.size(), size_t(most)));
  descent.most -= double(next->points.size());
  std::vector<Owned> toBuild;
  for (size_t point : next->points) {
    CandidateSpec spec = search.space->candidate(point);
    search.makeNameUnique(spec);
    size_t i = search.size();
    search.add(std::move(spec), search.resumes);
    search.record.rows[i].foundFrom = from;
    search.bench->add(search.id(i), search.artifact(i));
    if (search.steps[i] == Search::Step::Settled) {
      if (absl::Status status = store(search, i); !status.ok()) {
        return status;
      }
    } else if (search.task->onGpu) {
      enqueue(search, i);
    } else {
      toBuild.push_back({&search, i});
    }
  }
  return buildAll(std::move(toBuild), [] { return false; });
}

absl::Status Autotuner::screenNeighbours(Descent &descent) {
  Search &search = *descent.search;
  for (size_t i = descent.added; i < search.size(); ++i) {
    if (stopped()) {
      return cancelled();
    }
    if (search.steps[i] == Search::Step::Settled) {
      continue; // it did not build, or an earlier search knew it
    }
    absl::Status status =
        search.task->onGpu ? awaitBuild(search, i) : absl::OkStatus();
    if (status.ok() && search.steps[i] == Search::Step::Built) {
      report(search, "descent", search.leftToScreen(i), -1);
      status = screenCandidate(search, i);
      // What one sitting says may be luck.
      double begun = clock.now(), loaded = search.bench->loadSeconds;
      if (status.ok() && hasHelped(search.record.rows, i, options.descent)) {
        status = sitAgain(search, i);
      }
      search.record.measureSeconds +=
          search.secondsBesideLoads(clock.now(), begun, loaded);
    }
    if (!status.ok()) {
      return status;
    }
  }
  search.settleScreen();
  return absl::OkStatus();
}

Autotuner::Descent Autotuner::beginDescent(Search &search) {
  Descent descent;
  descent.search = &search;
  descent.added = search.size();
  descent.most =
      std::max(options.descent.least,
               options.descent.share *
                   double(std::max<int64_t>(countTried(search.record), 1)));
  double left = start + options.budgetSeconds - clock.now();
  int sharers = search.task->onGpu ? problems : problems - search.position + 1;
  descent.deadline = clock.now() + budgetShare * left / sharers;
  // A budget that leaves out what is offered has no time for more. And where
  // none may be looked at, nobody has to know what there is.
  bool isCut = std::any_of(
      search.steps.begin(), search.steps.end(), [](Search::Step step) {
        return step == Search::Step::Waiting || step == Search::Step::Built;
      });
  descent.isDone = isCut || mostNeighbours(descent) < 1;
  if (!descent.isDone) {
    double begun = clock.now();
    search.space = std::make_unique<ScheduleSpace>(search.task->listLegal());
    search.record.listSeconds += clock.now() - begun;
  }
  return descent;
}

absl::Status Autotuner::descend(absl::Span<Search *const> searches) {
  std::vector<Descent> descents;
  for (Search *search : searches) {
    if (descends(*search->task)) {
      descents.push_back(beginDescent(*search));
    }
  }
  auto isDone = [](const Descent &descent) { return descent.isDone; };
  while (!std::all_of(descents.begin(), descents.end(), isDone)) {
    for (Descent &descent : descents) {
      absl::Status status =
          descent.isDone ? absl::OkStatus() : addNeighbours(descent);
      if (!status.ok()) {
        return status;
      }
    }
    for (Descent &descent : descents) {
      if (absl::Status status = screenNeighbours(descent); !status.ok()) {
        return status;
      }
    }
  }
  return absl::OkStatus();
}

} // namespace minic::tune
