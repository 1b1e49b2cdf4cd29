// SPDX-License-Identifier: Apache-2.0
//
// Requests to the worker, and what its answers say about a candidate.

#include "compiler/tune/search/CandidateBench.h"
#include "compiler/tune/search/Rounds.h"

#include "runtime/measure/RandomData.h"

#include "absl/strings/str_cat.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace minic::tune {

/// JSON and SQL have no infinity; an error this large says the same.
static double finite(double value) {
  return std::isfinite(value) ? value : std::numeric_limits<double>::max();
}

CandidateBench::~CandidateBench() {
  while (!loaded.empty() && fatalStatus.ok()) {
    std::string id = loaded.begin()->first; // unload erases the key
    unload(id);
  }
}

void CandidateBench::add(const std::string &id,
                         const std::string &artifactPath) {
  paths[id] = artifactPath;
}

std::optional<BenchFailure> CandidateBench::ask(const runtime::Request &request,
                                                const char *what,
                                                runtime::Reply &reply,
                                                double timeoutSeconds) {
  WorkerAnswer answer = worker.ask(request, timeoutSeconds);
  switch (answer.fate) {
  case WorkerAnswer::Fate::Answered:
    reply = std::move(answer.reply);
    return std::nullopt;
  case WorkerAnswer::Fate::Refused:
    return BenchFailure{answer.isMachines ? RowStatus::Unavailable
                                          : RowStatus::BuildFailed,
                        absl::StrCat(what, ": ", answer.detail)};
  case WorkerAnswer::Fate::Crashed:
    loaded.clear();
    return BenchFailure{RowStatus::Crashed,
                        absl::StrCat(what, ": ", answer.detail)};
  case WorkerAnswer::Fate::Hung:
    loaded.clear();
    return BenchFailure{RowStatus::Hung, absl::StrCat(what, ": no answer in ",
                                                      timeoutSeconds, " s")};
  case WorkerAnswer::Fate::Missing:
    loaded.clear();
    fatalStatus = absl::FailedPreconditionError(answer.detail);
    return BenchFailure{RowStatus::Skipped, answer.detail};
  }
  return BenchFailure{RowStatus::Skipped, "unknown answer"};
}

double CandidateBench::patience(const std::string &id, int64_t runs) const {
  // Slower than any kernel worth having on a core that others use as well.
  // Of a GPU that is a thousandth of what it has.
  double slowestFlops = options.onGpu ? 1e11 : 1e9;
  return double(loaded.at(id).flops) * double(runs) / slowestFlops;
}

std::optional<BenchFailure> CandidateBench::load(const std::string &id,
                                                 bool onlyListsAlgorithms) {
  if (loaded.count(id)) {
    return std::nullopt;
  }
  runtime::LoadRequest request;
  request.id = id;
  request.path = paths[id];
  request.constantsSeed = options.constantsSeed;
  request.device = options.device;
  request.onlyListsAlgorithms = onlyListsAlgorithms;
  request.isPart = true;
  runtime::Reply reply;
  double begun = clock.now();
  auto failure = ask(request, "load", reply, options.timeoutSeconds);
  loadSeconds += clock.now() - begun;
  if (failure) {
    return failure;
  }
  loaded[id] = std::get<runtime::LoadReply>(reply);
  return std::nullopt;
}

void CandidateBench::unload(const std::string &id) {
  if (loaded.erase(id)) {
    runtime::Reply reply;
    double begun = clock.now();
    (void)ask(runtime::UnloadRequest{id}, "unload", reply,
              options.timeoutSeconds);
    loadSeconds += clock.now() - begun;
  }
}

std::optional<BenchFailure> CandidateBench::verify(const std::string &id,
                                                   const std::string &trusted,
                                                   Row &row) {
  // The trusted one first: should it not load again, it is not `id`'s fault.
  if (!trusted.empty() && load(trusted)) {
    return BenchFailure{RowStatus::Skipped, "the reference candidate is lost"};
  }
  if (auto failure = load(id)) {
    return failure;
  }
  row.scratchBytes = loaded[id].arenaBytes;
  runtime::VerifyRequest request;
  request.id = id;
  request.seed = options.seed;
  request.expectedPath = options.expectedPath;
  request.trustedId = trusted;
  if (auto failure = run(request, row)) {
    return failure;
  }
  if (options.expectedOfNanPath.empty()) {
    return std::nullopt;
  }
  request.seed |= runtime::withNan;
  request.expectedPath = options.expectedOfNanPath;
  request.trustedId.clear();
  Row ofNan;
  std::optional<BenchFailure> failure = run(request, ofNan);
  if (failure && failure->status == RowStatus::Wrong) {
    failure->reason = "with a NaN in each input: " + failure->reason;
  }
  return failure;
}

std::optional<BenchFailure>
CandidateBench::run(const runtime::VerifyRequest &request, Row &row) {
  runtime::Reply reply;
  // Two runs, and one of the trusted candidate.
  double timeoutSeconds = options.timeoutSeconds + patience(request.id, 3);
  if (auto failure = ask(request, "run", reply, timeoutSeconds)) {
    if (failure->status == RowStatus::BuildFailed) {
      failure->status = RowStatus::Wrong;
    }
    return failure;
  }
  const auto &verdict = std::get<runtime::VerifyReply>(reply);
  row.worstError = finite(verdict.worst);
  row.maxAbsoluteError = finite(verdict.maxAbsoluteError);
  row.deterministic = verdict.deterministic;
  if (verdict.status != runtime::VerifyStatus::ok) {
    return BenchFailure{RowStatus::Wrong, verdict.detail};
  }
  return std::nullopt;
}

std::optional<BenchFailure>
CandidateBench::algorithms(const std::string &id, int most,
                           uint64_t scratchLimit,
                           std::vector<runtime::AlgorithmReply> &algorithms) {
  algorithms.clear();
  unload(id); // it may be there to run
  if (auto failure = load(id, /*onlyListsAlgorithms=*/true)) {
    return failure;
  }
  runtime::AlgorithmsRequest request;
  request.id = id;
  request.most = most;
  request.scratchLimit = scratchLimit;
  runtime::Reply reply;
  auto failure = ask(request, "algorithms", reply, options.timeoutSeconds);
  unload(id);
  if (failure) {
    return failure;
  }
  algorithms = std::move(std::get<runtime::AlgorithmsReply>(reply).algorithms);
  return std::nullopt;
}

std::optional<BenchFailure>
CandidateBench::time(absl::Span<const std::string> ids,
                     absl::Span<const int64_t> iterations, RoundTimes &times) {
  double timeoutSeconds = options.timeoutSeconds;
  for (size_t i = 0; i < ids.size(); ++i) {
    if (auto failure = load(ids[i])) {
      return failure;
    }
    timeoutSeconds += patience(ids[i], iterations[i]) +
                      1e-6 * (options.onGpu ? 0 : options.retakeUs);
  }
  runtime::TimeRequest request;
  request.ids.assign(ids.begin(), ids.end());
  request.iterations.assign(iterations.begin(), iterations.end());
  request.residency = options.residency;
  if (!options.onGpu) {
    request.retakeUs = options.retakeUs;
    noise.beforeRound();
  }
  runtime::Reply reply;
  if (auto failure = ask(request, "timing", reply, timeoutSeconds)) {
    return failure;
  }
  auto &timed = std::get<runtime::TimeReply>(reply);
  smClock.include(timed.smClockMHz);
  times.us = std::move(timed.microseconds);
  times.disturbed = std::move(timed.disturbed);
  bool valid =
      times.us.size() == ids.size() &&
      (times.disturbed.empty() || times.disturbed.size() == ids.size());
  for (double time : times.us) {
    valid &= time > 0 && std::isfinite(time);
  }
  for (size_t i = 0; i < timed.firstTakesUs.size() && i < ids.size(); ++i) {
    // Samples of few runs vary more than those of many.
    noise.add(absl::StrCat(ids[i], " x", iterations[i]), timed.firstTakesUs[i]);
  }
  if (!valid) {
    return BenchFailure{RowStatus::BuildFailed,
                        "timing: the worker answered times that cannot be"};
  }
  return std::nullopt;
}

std::map<std::string, BenchFailure>
CandidateBench::findCulprits(absl::Span<const std::string> ids,
                             absl::Span<const int64_t> iterations) {
  std::map<std::string, BenchFailure> culprits;
  for (size_t i = 0; i < ids.size() && fatalStatus.ok(); ++i) {
    RoundTimes ignored;
    if (auto failure = time({&ids[i], 1}, {&iterations[i], 1}, ignored)) {
      culprits.emplace(ids[i], *failure);
    }
  }
  return culprits;
}

int64_t CandidateBench::iterationsFor(double us, double targetUs) const {
  // Cold runs on a CPU are timed alone, with the caches swept before each.
  bool isSwept =
      options.residency == runtime::Residency::cold && !options.onGpu;
  return isSwept ? tune::iterationsFor(us, targetUs, /*most=*/3)
                 : tune::iterationsFor(us, targetUs);
}

} // namespace minic::tune
