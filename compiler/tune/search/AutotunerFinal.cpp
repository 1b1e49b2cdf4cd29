// SPDX-License-Identifier: Apache-2.0
//
// The final of the Autotuner: rounds among the best few of the screen, and
// again with those left out where the final contradicts the screen.

#include "compiler/tune/search/Search.h"

#include <algorithm>
#include <cmath>

#include <unistd.h>

namespace minic::tune {

/// Bounds an interval that too few samples leave open.
static double bounded(double value, double otherwise) {
  return std::isfinite(value) ? value : otherwise;
}

std::vector<size_t> Autotuner::finalists(const Search &search) const {
  std::vector<size_t> finalists;
  for (size_t i = 0; i < search.size(); ++i) {
    const Row &row = search.record.rows[i];
    if (row.status == RowStatus::Verified && row.screenUs > 0 &&
        (!options.policy.deterministic || row.deterministic)) {
      finalists.push_back(i);
    }
  }
  auto screenUs = [&](size_t i) { return search.record.rows[i].screenUs; };
  std::sort(finalists.begin(), finalists.end(), [&](size_t a, size_t b) {
    return std::make_pair(screenUs(a), a) < std::make_pair(screenUs(b), b);
  });
  while (finalists.size() > static_cast<size_t>(options.finalists) ||
         (finalists.size() > static_cast<size_t>(options.leastFinalists) &&
          screenUs(finalists.back()) >
              options.finalistRatio * screenUs(finalists.front()))) {
    finalists.pop_back();
  }
  return finalists;
}

std::vector<size_t> Autotuner::leftOut(const Search &search) const {
  std::vector<size_t> contest;
  const Row &leader = search.record.rows[search.leader];
  for (size_t i = 0; i < search.size(); ++i) {
    const Row &row = search.record.rows[i];
    if (row.status == RowStatus::Verified && row.screenUs > 0 &&
        !row.isFinalist() &&
        row.screenUs * options.contradiction < leader.timeUs &&
        (!options.policy.deterministic || row.deterministic)) {
      contest.push_back(i);
    }
  }
  auto screenUs = [&](size_t i) { return search.record.rows[i].screenUs; };
  std::sort(contest.begin(), contest.end(), [&](size_t a, size_t b) {
    return std::make_pair(screenUs(a), a) < std::make_pair(screenUs(b), b);
  });
  contest.resize(
      std::min(contest.size(), static_cast<size_t>(options.finalists) - 1));
  if (!contest.empty()) {
    contest.insert(contest.begin(), static_cast<size_t>(search.leader));
  }
  return contest;
}

absl::Status Autotuner::buildMissing(Search &search,
                                     absl::Span<const size_t> finalists) {
  for (size_t i : finalists) {
    if (::access(search.artifact(i).c_str(), R_OK) == 0) {
      continue;
    }
    search.byHash.erase(search.record.rows[i].binaryHash);
    if (absl::Status status = buildOne(search, i); !status.ok()) {
      return status;
    }
    if (search.steps[i] == Search::Step::Built) {
      search.steps[i] = Search::Step::Settled;
    }
  }
  return absl::OkStatus();
}

RoundsOptions Autotuner::roundsOfFinal(const Search &search) const {
  RoundsOptions rounds = options.rounds;
  rounds.stop = [this] { return stopped(); };
  if (options.finalsSeconds > 0) {
    rounds.maxSeconds = std::clamp(options.finalsSeconds / problems,
                                   rounds.maxSeconds / 2, rounds.maxSeconds);
  }
  if (!search.task->onGpu) {
    // Six rounds of six candidates of 150 ms take 6 s.
    rounds.mostSeconds = 4 * rounds.maxSeconds;
  }
  if (options.budgetSeconds > 0) {
    rounds.mostSeconds = 0;
    rounds.maxSeconds =
        std::min(rounds.maxSeconds, search.deadline - clock.now());
  }
  return rounds;
}

/// Brings rows of earlier contests to the scale of this one's leader.
static void rescale(Record &record, const runtime::Estimate &oldOverNew,
                    absl::Span<const size_t> contest) {
  for (size_t i = 0; i < record.rows.size(); ++i) {
    Row &row = record.rows[i];
    if (row.isFinalist() &&
        std::find(contest.begin(), contest.end(), i) == contest.end()) {
      row.ratio *= oldOverNew.value;
      row.ratioLow *= oldOverNew.value;
      row.ratioHigh *= oldOverNew.value;
    }
  }
}

void Autotuner::take(Search &search, absl::Span<const size_t> finalists,
                     RoundsResult result) {
  if (search.leader >= 0) {
    // It is the first in every contest but the first one.
    rescale(search.record, result.contestants.front().ratio, finalists);
  }
  for (size_t entry = 0; entry < finalists.size(); ++entry) {
    Row &row = search.record.rows[finalists[entry]];
    Contestant &contestant = result.contestants[entry];
    row.timeUs = contestant.timeUs.value;
    row.timeError = bounded(contestant.timeUs.halfWidth(), 0);
    row.ratio = contestant.ratio.value;
    row.ratioLow = contestant.ratio.low;
    row.ratioHigh = bounded(contestant.ratio.high, 1e9);
    row.samplesUs = std::move(contestant.samplesUs);
  }
  search.leader = static_cast<int>(finalists[result.leader]);
  // A GPU's own clock is not disturbed by what else the host does.
  search.isUndecided |= result.isUndecided && !search.task->onGpu;
}

absl::StatusOr<bool>
Autotuner::timeFinalists(Search &search, absl::Span<const size_t> finalists) {
  std::vector<std::string> all;
  std::vector<int64_t> counts;
  for (size_t i : finalists) {
    all.push_back(search.id(i));
    counts.push_back(search.bench->iterationsFor(search.record.rows[i].screenUs,
                                                 options.roundUs));
  }
  std::optional<BenchFailure> failure;
  auto timeRound =
      [&](absl::Span<const int> order) -> absl::StatusOr<RoundTimes> {
    std::vector<std::string> ids;
    std::vector<int64_t> iterations;
    for (int entry : order) {
      ids.push_back(all[entry]);
      iterations.push_back(counts[entry]);
    }
    RoundTimes times;
    failure = search.bench->time(ids, iterations, times);
    if (failure) {
      return absl::AbortedError(failure->reason);
    }
    return times;
  };
  absl::StatusOr<RoundsResult> result =
      runRounds(static_cast<int>(finalists.size()), timeRound, clock,
                roundsOfFinal(search));
  if (stopped()) {
    return cancelled();
  }
  if (result.ok()) {
    take(search, finalists, *std::move(result));
    return true;
  }
  if (!search.bench->fatal().ok()) {
    return search.bench->fatal();
  }
  if (!failure) {
    return result.status();
  }
  for (const auto &[id, culprit] : search.bench->findCulprits(all, counts)) {
    size_t entry = std::find(all.begin(), all.end(), id) - all.begin();
    search.reject(finalists[entry], culprit.status, culprit.reason);
  }
  return false;
}

absl::StatusOr<bool> Autotuner::runContest(Search &search,
                                           std::vector<size_t> &finalists) {
  if (absl::Status status = buildMissing(search, finalists); !status.ok()) {
    return status;
  }
  auto dropRejected = [&] {
    return std::erase_if(finalists, [&](size_t i) {
      return search.record.rows[i].status != RowStatus::Verified;
    });
  };
  dropRejected();
  for (int unexplained = 0; !finalists.empty() && unexplained < 2;) {
    report(search, "final", static_cast<int>(finalists.size()),
           options.rounds.maxSeconds);
    absl::StatusOr<bool> timed = timeFinalists(search, finalists);
    if (!timed.ok() || *timed) {
      return timed;
    }
    unexplained += dropRejected() == 0;
  }
  return false;
}

absl::Status Autotuner::runFinal(Search &search) {
  double begun = clock.now(), loaded = search.bench->loadSeconds;
  auto isLate = [&] {
    return options.budgetSeconds > 0 && clock.now() >= search.deadline;
  };
  std::vector<size_t> contest = finalists(search);
  if (isLate()) {
    search.isUndecided = contest.size() > 1 && !search.task->onGpu;
    return absl::OkStatus();
  }
  for (int opened = 0; !contest.empty() && opened <= options.reopenings;
       ++opened) {
    // Where everyone who was fast is out, the next best in the screen remain.
    absl::StatusOr<bool> timed = runContest(search, contest);
    if (!timed.ok()) {
      return timed.status();
    }
    if (!*timed) {
      break;
    }
    contest = leftOut(search);
    if (!contest.empty() && isLate()) {
      search.isUndecided = !search.task->onGpu;
      break;
    }
  }
  search.record.measureSeconds +=
      search.secondsBesideLoads(clock.now(), begun, loaded);
  return absl::OkStatus();
}

} // namespace minic::tune
