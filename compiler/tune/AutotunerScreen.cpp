// SPDX-License-Identifier: Apache-2.0
//
// The screen of the Autotuner: verifies one candidate after the other and times
// it beside the first that was right, the anchor.

#include "compiler/tune/Search.h"

namespace minic::tune {

/// Times beyond this ratio to the anchor are not screened any further.
static constexpr double hopelessRatio = 3;

/// Measures one verified candidate beside the anchor; the first becomes it.
static std::optional<BenchFailure>
screenOne(CandidateBench &bench, const AutotunerOptions &options,
          const std::string &id, const std::string &anchor, double &anchorUs,
          bool onGpu, Row &row) {
  std::vector<double> times;
  // The first run after verification still touches cold code and pages; a GPU
  // times recorded runs, after a replay.
  std::vector<std::string> probe(onGpu ? 1 : 2, id);
  std::vector<int64_t> probeRuns(probe.size(), onGpu ? 8 : 1);
  if (auto failure = bench.time(probe, probeRuns, times)) {
    return failure;
  }
  double probeUs = times.back();
  int64_t iterations = bench.iterationsFor(probeUs, options.screenUs);
  if (anchor.empty()) {
    std::vector<std::string> ids(options.screenPairs, id);
    std::vector<int64_t> counts(options.screenPairs, iterations);
    if (auto failure = bench.time(ids, counts, times)) {
      return failure;
    }
    row.screenUs = anchorUs = runtime::median(times);
    return std::nullopt;
  }
  if (probeUs > hopelessRatio * anchorUs && probeUs > options.screenUs) {
    row.screenUs = probeUs;
    return std::nullopt;
  }
  std::vector<std::string> ids;
  std::vector<int64_t> counts;
  for (int pair = 0; pair < options.screenPairs; ++pair) {
    ids.insert(ids.end(), {anchor, id});
    counts.insert(
        counts.end(),
        {bench.iterationsFor(anchorUs, options.screenUs), iterations});
  }
  if (auto failure = bench.time(ids, counts, times)) {
    return failure;
  }
  std::vector<double> ratios;
  for (size_t i = 0; i + 1 < times.size(); i += 2) {
    ratios.push_back(times[i + 1] / times[i]);
  }
  row.screenUs = anchorUs * runtime::median(ratios);
  return std::nullopt;
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
  if (!failure) {
    failure = screenOne(*search.bench, options, id, anchor, search.anchorUs,
                        search.task->onGpu, row);
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
    bool isNeeded = select(search.record.rows, options.policy).row < 0;
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
