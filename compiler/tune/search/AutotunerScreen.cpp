// SPDX-License-Identifier: Apache-2.0
//
// The screen of the Autotuner: verifies one candidate after the other and times
// it beside the first that was right, the anchor; on a CPU again later where
// all samples were disturbed.

#include "compiler/tune/search/Search.h"

#include <algorithm>
#include <limits>

namespace minic::tune {

/// Times beyond this ratio to the anchor are not screened any further.
static constexpr double hopelessRatio = 3;

/// An exhaustive search on a GPU screens thousands, and most of its time goes
/// to sittings. A candidate whose first few runs take more than this many times
/// the fastest one's time cannot be the fastest, and does not sit.
static constexpr double leftBehindRatio = 1.25;

/// Whose samples were all disturbed sits again if it may be this much faster
/// than they say: two others on a core leave a third of it.
static constexpr double doubtRatio = 3;

/// Most candidates that sit again.
static constexpr size_t mostSecondSittings = 12;

/// Times `id`, and in alternation with it `anchor` unless that is empty.
static std::optional<BenchFailure>
sit(CandidateBench &bench, const AutotunerOptions &options,
    const std::string &id, int64_t iterations, const std::string &anchor,
    double anchorUs, ScreenSamples::Sitting &sitting) {
  std::vector<std::string> ids;
  std::vector<int64_t> counts;
  for (int pair = 0; pair < options.screenPairs; ++pair) {
    if (!anchor.empty()) {
      ids.push_back(anchor);
      counts.push_back(bench.iterationsFor(anchorUs, options.screenUs));
    }
    ids.push_back(id);
    counts.push_back(iterations);
  }
  RoundTimes times;
  if (auto failure = bench.time(ids, counts, times)) {
    return failure;
  }
  for (size_t i = 0; i < ids.size(); ++i) {
    bool isDisturbed = !times.disturbed.empty() && times.disturbed[i];
    (ids[i] == id ? sitting.own : sitting.anchor).add(times.us[i], isDisturbed);
  }
  return std::nullopt;
}

/// Microseconds of a run, about. The first run after verification still touches
/// cold code and pages; a GPU times recorded runs, after a replay. Behind
/// `id`'s come runs of `beside`, unless that is empty.
static std::optional<BenchFailure> probe(CandidateBench &bench,
                                         const std::string &id, bool onGpu,
                                         const std::string &beside,
                                         RoundTimes &times) {
  std::vector<std::string> ids(onGpu ? 1 : 2, id);
  if (!beside.empty()) {
    ids.push_back(beside);
  }
  std::vector<int64_t> runs(ids.size(), onGpu ? 8 : 1);
  return bench.time(ids, runs, times);
}

std::optional<BenchFailure> Autotuner::screenOne(Search &search,
                                                 size_t candidate) {
  CandidateBench &bench = *search.bench;
  std::string id = search.id(candidate);
  bool isFirst = search.anchor < 0;
  std::string anchor = isFirst ? "" : search.id(search.anchor);
  bool asksBeside = search.task->onGpu && options.prospects.isExhaustive;
  RoundTimes probed;
  if (auto failure = probe(bench, id, search.task->onGpu,
                           asksBeside ? anchor : "", probed)) {
    return failure;
  }
  if (asksBeside && !isFirst) {
    // Few runs take longer each than many; the anchor's say by how much.
    double us = probed.us.front() / probed.us.back() * search.anchorUs;
    if (us > leftBehindRatio * search.bestUs) {
      search.record.rows[candidate].screenUs = us;
      return std::nullopt;
    }
    probed.us.pop_back();
  }
  double probeUs = *std::min_element(probed.us.begin(), probed.us.end());
  bool isDisturbed = !probed.disturbed.empty() && probed.disturbed.back();
  Row &row = search.record.rows[candidate];
  if (!isFirst && !isDisturbed && probeUs > hopelessRatio * search.anchorUs &&
      probeUs > options.screenUs) {
    row.screenUs = probeUs;
    return std::nullopt;
  }
  ScreenSamples::Sitting sitting;
  if (auto failure = sit(bench, options, id,
                         bench.iterationsFor(probeUs, options.screenUs), anchor,
                         search.anchorUs, sitting)) {
    return failure;
  }
  if (isFirst) {
    search.anchorSamples = sitting.own;
  }
  search.add(candidate, std::move(sitting));
  return std::nullopt;
}

void Autotuner::Search::add(size_t candidate, ScreenSamples::Sitting sitting) {
  anchorSamples.add(sitting.anchor);
  anchorUs = anchorSamples.low();
  ScreenSamples &samples = screened[candidate];
  samples.add(std::move(sitting));
  record.rows[candidate].screenUs = samples.screenUs(anchorUs);
  bestUs = std::min(bestUs, record.rows[candidate].screenUs);
}

void Autotuner::Search::settleScreen() {
  for (auto &[candidate, samples] : screened) {
    if (record.rows[candidate].status == RowStatus::Verified) {
      record.rows[candidate].screenUs = samples.screenUs(anchorUs);
    }
  }
}

/// Those whose samples were all disturbed and who may be the fastest for all
/// that, the most promising first.
std::vector<size_t> Autotuner::doubtful(const Search &search) const {
  double bestUs = std::numeric_limits<double>::infinity();
  for (const Row &row : search.record.rows) {
    if (row.status == RowStatus::Verified && row.screenUs > 0) {
      bestUs = std::min(bestUs, row.screenUs);
    }
  }
  std::vector<size_t> doubtful;
  for (const auto &[candidate, samples] : search.screened) {
    const Row &row = search.record.rows[candidate];
    if (row.status == RowStatus::Verified && samples.isDisturbed() &&
        int(candidate) != search.anchor &&
        row.screenUs <= doubtRatio * bestUs) {
      doubtful.push_back(candidate);
    }
  }
  auto screenUs = [&](size_t i) { return search.record.rows[i].screenUs; };
  std::sort(doubtful.begin(), doubtful.end(), [&](size_t a, size_t b) {
    return std::make_pair(screenUs(a), a) < std::make_pair(screenUs(b), b);
  });
  doubtful.resize(std::min(doubtful.size(), mostSecondSittings));
  return doubtful;
}

absl::Status Autotuner::screenAgain(Search &search) {
  search.settleScreen();
  for (size_t candidate : doubtful(search)) {
    bool isLate = options.budgetSeconds > 0 && clock.now() >= search.deadline;
    if (isLate || stopped()) {
      return stopped() ? cancelled() : absl::OkStatus();
    }
    if (absl::Status status = sitAgain(search, candidate); !status.ok()) {
      return status;
    }
  }
  search.settleScreen();
  return absl::OkStatus();
}

absl::Status Autotuner::sitAgain(Search &search, size_t candidate) {
  if (int(candidate) == search.anchor) {
    return absl::OkStatus();
  }
  std::string id = search.id(candidate);
  double us = search.record.rows[candidate].screenUs;
  ScreenSamples::Sitting sitting;
  std::optional<BenchFailure> failure =
      sit(*search.bench, options, id,
          search.bench->iterationsFor(us, options.screenUs),
          search.id(search.anchor), search.anchorUs, sitting);
  search.bench->unload(id);
  if (!search.bench->fatal().ok()) {
    return search.bench->fatal();
  }
  if (failure) {
    // Perhaps the anchor's doing: the final finds out who it was.
    return absl::OkStatus();
  }
  search.add(candidate, std::move(sitting));
  return store(search, candidate);
}

absl::Status Autotuner::awaitCandidate(Search &search, size_t candidate,
                                       bool isFirst, bool isNeeded) {
  absl::Status status;
  if (search.task->onGpu) {
    status = isFirst ? absl::OkStatus() : ruleOut(search, candidate);
    if (status.ok() && search.steps[candidate] != Search::Step::Settled) {
      status = awaitBuild(search, candidate);
    }
  }
  if (status.ok() && isNeeded &&
      search.steps[candidate] == Search::Step::Waiting) {
    status = buildOne(search, candidate);
  }
  return status;
}

absl::Status Autotuner::screenCandidate(Search &search, size_t candidate) {
  Row &row = search.record.rows[candidate];
  std::string id = search.id(candidate);
  std::string anchor = search.anchor < 0 ? "" : search.id(search.anchor);
  double begun = clock.now(), loaded = search.bench->loadSeconds;
  std::optional<BenchFailure> failure = search.bench->verify(id, anchor, row);
  double verified = clock.now();
  search.record.verifySeconds +=
      search.secondsBesideLoads(verified, begun, loaded);
  loaded = search.bench->loadSeconds;
  // After the deadline it is enough that something is right.
  bool isLate = !search.task->onGpu && options.budgetSeconds > 0 &&
                verified >= search.deadline;
  if (!failure && !isLate) {
    failure = screenOne(search, candidate);
  }
  search.record.measureSeconds +=
      search.secondsBesideLoads(clock.now(), verified, loaded);
  if (!search.bench->fatal().ok()) {
    return search.bench->fatal();
  }
  if (failure) {
    search.bench->unload(id);
    search.reject(candidate, failure->status, failure->reason);
  } else {
    row.status = RowStatus::Verified;
    row.reason.clear();
    search.steps[candidate] = Search::Step::Settled;
    if (search.anchor < 0) {
      search.anchor = static_cast<int>(candidate);
    } else {
      search.bench->unload(id);
    }
  }
  return store(search, candidate);
}

int Autotuner::Search::leftToScreen(size_t from) const {
  int left = 0;
  for (size_t i = from; i < size(); ++i) {
    left += steps[i] == Step::Built ||
            (task->onGpu && queued[i] && steps[i] == Step::Waiting);
  }
  return left;
}

absl::Status Autotuner::screen(Search &search, bool isFirst) {
  double begun = clock.now();
  int looked = 0;
  for (size_t i = 0; i < search.size(); ++i) {
    if (stopped()) {
      return cancelled();
    }
    bool isLate = options.budgetSeconds > 0 && clock.now() >= search.deadline;
    // While nothing works, time does not matter.
    if (!search.hasUsable) {
      search.hasUsable = select(search.record.rows, options.policy).row >= 0;
    }
    bool isNeeded = !search.hasUsable;
    if (search.steps[i] == Search::Step::Settled ||
        search.steps[i] == Search::Step::Expanded || (isLate && !isNeeded) ||
        (isFirst && !search.queued[i])) {
      continue;
    }
    absl::Status status = awaitCandidate(search, i, isFirst, isNeeded);
    if (!status.ok()) {
      return status;
    }
    if (search.steps[i] != Search::Step::Built) {
      continue; // it did not build, not in time, or cannot win
    }
    int left = search.leftToScreen(i);
    double each = looked ? (clock.now() - begun) / looked : 0;
    report(search, "measure", left,
           looked ? each * left + options.rounds.maxSeconds : -1);
    ++looked;
    if (status = screenCandidate(search, i); !status.ok()) {
      return status;
    }
  }
  return absl::OkStatus();
}

} // namespace minic::tune
