// SPDX-License-Identifier: Apache-2.0
//
// The measuring half of the Autotuner: verify and screen one candidate after
// the other, then rounds among the best few.

#include "compiler/tune/Search.h"

#include "absl/strings/str_cat.h"

#include <algorithm>
#include <cmath>

namespace minic::tune {

/// Times beyond this ratio to the anchor are not screened any further.
static constexpr double hopelessRatio = 3;

/// Bounds an interval that too few samples leave open.
static double bounded(double value, double otherwise) {
  return std::isfinite(value) ? value : otherwise;
}

absl::Status Autotuner::openBench(Search &search) {
  double begun = clock.now();
  BenchOptions bench;
  bench.seed = search.task->seed;
  bench.constantsSeed = search.task->constantsSeed;
  bench.expectedPath = search.expectedPath;
  bench.residency = search.task->residency;
  bench.onGpu = search.task->onGpu;
  bench.device = search.task->device;
  bench.timeoutSeconds = options.timeoutSeconds;
  if (absl::Status status = search.task->writeExpected(search.expectedPath);
      !status.ok()) {
    return status;
  }
  if (search.task->writeExpectedOfNan) {
    bench.expectedOfNanPath = search.expectedPath + ".nan";
    absl::Status status =
        search.task->writeExpectedOfNan(bench.expectedOfNanPath);
    if (!status.ok()) {
      return status;
    }
  }
  search.record.verifySeconds += clock.now() - begun;
  search.bench = std::make_unique<CandidateBench>(worker, clock, bench);
  for (size_t i = 0; i < search.size(); ++i) {
    search.bench->add(search.id(i), search.artifact(i));
  }
  return absl::OkStatus();
}

void Autotuner::closeBench(Search &search) {
  if (search.bench) {
    double begun = clock.now();
    search.record.loadSeconds = search.bench->loadSeconds;
    search.bench.reset(); // unloads
    search.record.loadSeconds += clock.now() - begun;
  }
  ::unlink(search.expectedPath.c_str());
  ::unlink((search.expectedPath + ".nan").c_str());
  for (size_t i = 0; i < search.size(); ++i) {
    ::unlink(search.artifact(i).c_str());
  }
}

absl::Status Autotuner::measure(Search &search) {
  absl::Status status = openBench(search);
  if (status.ok()) {
    status = screen(search);
  }
  if (status.ok()) {
    status = runFinal(search);
  }
  closeBench(search);
  return status.ok() ? finish(search) : status;
}

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

absl::Status Autotuner::screen(Search &search, bool isFirst) {
  double begun = clock.now();
  int looked = 0;
  for (size_t i = 0; i < search.size(); ++i) {
    if (stopped()) {
      return cancelled();
    }
    bool late = options.budgetSeconds > 0 && clock.now() >= search.deadline;
    bool needed = select(search.record.rows, options.policy).row < 0;
    if (search.steps[i] == Search::Step::Settled ||
        search.steps[i] == Search::Step::Expanded || (late && !needed)) {
      continue;
    }
    if (search.task->onGpu) {
      if (isFirst && !search.queued[i]) {
        continue;
      }
      absl::Status status = isFirst ? absl::OkStatus() : ruleOut(search, i);
      if (status.ok() && search.steps[i] != Search::Step::Settled) {
        status = awaitBuild(search, i);
      }
      if (!status.ok()) {
        return status;
      }
      if (search.steps[i] == Search::Step::Settled) {
        continue; // it did not build, or cannot win
      }
    }
    if (search.steps[i] == Search::Step::Waiting) {
      // Not built in time. Only while nothing works is it worth doing now.
      if (!needed) {
        continue;
      }
      if (absl::Status status = buildOne(search, i); !status.ok()) {
        return status;
      }
      if (search.steps[i] != Search::Step::Built) {
        continue;
      }
    }
    int left = 0;
    for (size_t rest = i; rest < search.size(); ++rest) {
      left += search.steps[rest] == Search::Step::Built ||
              (search.task->onGpu && search.queued[rest] &&
               search.steps[rest] == Search::Step::Waiting);
    }
    double each = looked ? (clock.now() - begun) / looked : 0;
    report(search, "measure", left,
           looked ? each * left + options.rounds.maxSeconds : -1);
    ++looked;

    Row &row = search.record.rows[i];
    std::string anchor = search.anchor < 0 ? "" : search.id(search.anchor);
    double verifyStart = clock.now(), loaded = search.bench->loadSeconds;
    std::optional<BenchFailure> failure =
        search.bench->verify(search.id(i), anchor, row);
    double verified = clock.now();
    search.record.verifySeconds +=
        search.secondsBesideLoads(verified, verifyStart, loaded);
    loaded = search.bench->loadSeconds;
    if (!failure) {
      failure = screenOne(*search.bench, options, search.id(i), anchor,
                          search.anchorUs, search.task->onGpu, row);
    }
    search.record.measureSeconds +=
        search.secondsBesideLoads(clock.now(), verified, loaded);
    if (!search.bench->fatal().ok()) {
      return search.bench->fatal();
    }
    if (failure) {
      search.bench->unload(search.id(i));
      search.reject(i, failure->status, failure->reason);
    } else {
      row.status = RowStatus::Verified;
      row.reason.clear();
      search.steps[i] = Search::Step::Settled;
      if (search.anchor < 0) {
        search.anchor = static_cast<int>(i);
      } else {
        search.bench->unload(search.id(i));
      }
    }
    if (absl::Status status = store(search, i); !status.ok()) {
      return status;
    }
  }
  return absl::OkStatus();
}

absl::Status Autotuner::runFinal(Search &search) {
  double begun = clock.now(), loaded = search.bench->loadSeconds;
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
         (finalists.size() > 1 &&
          screenUs(finalists.back()) >
              options.finalistRatio * screenUs(finalists.front()))) {
    finalists.pop_back();
  }
  if (options.budgetSeconds > 0 && clock.now() >= search.deadline) {
    return absl::OkStatus();
  }
  // Finalists that an earlier, killed search screened have no artifact here.
  for (size_t i : finalists) {
    if (::access(search.artifact(i).c_str(), R_OK) != 0) {
      search.byHash.erase(search.record.rows[i].binaryHash);
      if (absl::Status status = buildOne(search, i); !status.ok()) {
        return status;
      }
      if (search.steps[i] == Search::Step::Built) {
        search.steps[i] = Search::Step::Settled;
      }
    }
  }
  std::erase_if(finalists, [&](size_t i) {
    return search.record.rows[i].status != RowStatus::Verified;
  });
  int unexplained = 0;
  while (!finalists.empty() && unexplained < 2) {
    report(search, "final", static_cast<int>(finalists.size()),
           options.rounds.maxSeconds);
    std::vector<int64_t> counts;
    for (size_t i : finalists) {
      counts.push_back(
          search.bench->iterationsFor(screenUs(i), options.roundUs));
    }
    std::optional<BenchFailure> failure;
    auto timeRound = [&](absl::Span<const int> order)
        -> absl::StatusOr<std::vector<double>> {
      std::vector<std::string> ids;
      std::vector<int64_t> iterations;
      for (int entry : order) {
        ids.push_back(search.id(finalists[entry]));
        iterations.push_back(counts[entry]);
      }
      std::vector<double> times;
      failure = search.bench->time(ids, iterations, times);
      if (failure) {
        return absl::AbortedError(failure->reason);
      }
      return times;
    };
    RoundsOptions rounds = options.rounds;
    rounds.stop = [this] { return stopped(); };
    if (options.finalsSeconds > 0) {
      rounds.maxSeconds = std::clamp(options.finalsSeconds / problems,
                                     rounds.maxSeconds / 2, rounds.maxSeconds);
    }
    if (options.budgetSeconds > 0) {
      rounds.maxSeconds =
          std::min(rounds.maxSeconds, search.deadline - clock.now());
    }
    absl::StatusOr<RoundsResult> result =
        runRounds(static_cast<int>(finalists.size()), timeRound, clock, rounds);
    if (stopped()) {
      return cancelled();
    }
    if (result.ok()) {
      for (size_t entry = 0; entry < finalists.size(); ++entry) {
        Row &row = search.record.rows[finalists[entry]];
        Contestant &contestant = result->contestants[entry];
        row.timeUs = contestant.timeUs.value;
        row.timeError = bounded(contestant.timeUs.halfWidth(), 0);
        row.ratio = contestant.ratio.value;
        row.ratioLow = contestant.ratio.low;
        row.ratioHigh = bounded(contestant.ratio.high, 1e9);
        row.samplesUs = std::move(contestant.samplesUs);
      }
      break;
    }
    if (!search.bench->fatal().ok()) {
      return search.bench->fatal();
    }
    if (!failure) {
      return result.status();
    }
    // Somebody took the worker down: find out who, go on without.
    std::vector<std::string> ids;
    for (size_t i : finalists) {
      ids.push_back(search.id(i));
    }
    auto culprits = search.bench->findCulprits(ids, counts);
    unexplained += culprits.empty();
    for (size_t i : finalists) {
      auto it = culprits.find(search.id(i));
      if (it != culprits.end()) {
        search.reject(i, it->second.status, it->second.reason);
      }
    }
    std::erase_if(finalists, [&](size_t i) {
      return search.record.rows[i].status != RowStatus::Verified;
    });
    if (finalists.empty()) {
      // Everyone who was fast is out: the next best in the screen remain.
      break;
    }
  }
  search.record.measureSeconds +=
      search.secondsBesideLoads(clock.now(), begun, loaded);
  search.record.clockLowMHz = search.bench->clockLowMHz;
  search.record.clockHighMHz = search.bench->clockHighMHz;
  return absl::OkStatus();
}

} // namespace minic::tune
