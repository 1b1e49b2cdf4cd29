// SPDX-License-Identifier: Apache-2.0
//
// Every plan in every way of running it is a contestant of the same rounds.

#include "compiler/tune/WholeModelCheck.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

#include <algorithm>
#include <cmath>

namespace minic::tune {

using runtime::RunMode;

static constexpr const char *names[] = {"tuned", "default"};

RoundsOptions WholeModelInputs::wholeModelRounds() {
  RoundsOptions rounds;
  rounds.maxRounds = 500;
  rounds.maxSeconds = 5;
  rounds.indifference = 0.01;
  rounds.hopeless = 1e9; // the ratio is what is asked for
  return rounds;
}

static std::string graphKey(const std::string &planKey) {
  return planKey + "#graph";
}

static absl::Status failureOf(const WorkerAnswer &answer, const char *what) {
  std::string text =
      absl::StrCat("whole-model check, ", what, ": ", answer.detail);
  return answer.isMachines ? absl::FailedPreconditionError(text)
                           : absl::InternalError(text);
}

static absl::StatusOr<runtime::Reply> ask(Worker &worker,
                                          const runtime::Request &request,
                                          double timeoutSeconds,
                                          const char *what) {
  WorkerAnswer answer = worker.ask(request, timeoutSeconds);
  if (answer.fate == WorkerAnswer::Fate::Answered) {
    return std::move(answer.reply);
  }
  return failureOf(answer, what);
}

absl::StatusOr<std::optional<WholeModelResult>>
findWholeModel(const WholeModelInputs &inputs, TuningDb &db) {
  WholeModelResult result;
  if (inputs.retune) {
    return std::nullopt;
  }
  auto find = [&](const std::string &key, std::optional<Verdict> &verdict) {
    absl::StatusOr<std::optional<Verdict>> stored =
        db.findVerdict(key, inputs.device, inputs.versions);
    if (stored.ok()) {
      verdict = *std::move(stored);
    }
    return stored.status();
  };
  bool needsPlans = inputs.plansDiffer;
  bool needsGraph = inputs.streams && inputs.graphs;
  absl::Status status;
  if (needsPlans) {
    status = find(inputs.planKey, result.plans);
  }
  if (status.ok() && needsGraph) {
    status = find(graphKey(inputs.planKey), result.graph);
  }
  if (!status.ok()) {
    return status;
  }
  if ((needsPlans && !result.plans) || (needsGraph && !result.graph)) {
    return std::nullopt;
  }
  if (result.graph && result.graph->isRefused()) {
    result.graphRefusal = result.graph->description;
  }
  return result;
}

namespace {

/// A plan in one way of running it.
struct Entry {
  int plan; // index of names
  RunMode mode;
  int64_t iterations = 1;

  bool isGraph() const { return mode == RunMode::graph; }
};

class Check {
public:
  Check(const WholeModelInputs &inputs, Worker &worker, const Clock &clock)
      : inputs(inputs), worker(worker), clock(clock) {}

  absl::StatusOr<WholeModelResult> run();

private:
  absl::Status load();
  /// Adds a contestant, unless its graph is refused.
  absl::Status enter(int plan, RunMode mode);
  absl::StatusOr<std::vector<double>> time(absl::Span<const int> order);
  /// Index of the plan's fastest entry by time paired with the leader's.
  int best(int plan) const;
  Verdict compare(int first, int second, std::string key) const;
  std::string singleCalls(int plan);

  const WholeModelInputs &inputs;
  Worker &worker;
  const Clock &clock;
  std::vector<Entry> entries;
  RoundsResult rounds;
  WholeModelResult result;
};

} // namespace

absl::Status Check::load() {
  for (int plan = 0; plan < (inputs.plansDiffer ? 2 : 1); ++plan) {
    runtime::LoadRequest load;
    load.id = names[plan];
    load.path = plan == 0 ? inputs.tunedPath : inputs.defaultPath;
    load.function = inputs.function;
    load.device = inputs.deviceIndex;
    absl::StatusOr<runtime::Reply> reply =
        ask(worker, load, inputs.timeoutSeconds, names[plan]);
    if (!reply.ok()) {
      return reply.status();
    }
    absl::Status status;
    if (!inputs.onGpu) {
      status = enter(plan, RunMode::device);
    } else {
      if (inputs.streams) {
        status = enter(plan, RunMode::stream);
      }
      if (status.ok() && inputs.graphs) {
        status = enter(plan, RunMode::graph);
      }
    }
    if (!status.ok()) {
      return status;
    }
  }
  return entries.empty() ? absl::FailedPreconditionError(absl::StrCat(
                               "whole-model check: ", result.graphRefusal))
                         : absl::OkStatus();
}

absl::Status Check::enter(int plan, RunMode mode) {
  runtime::TimeRequest probe;
  probe.ids = {names[plan], names[plan]};
  probe.iterations = {1, 1};
  if (inputs.onGpu) {
    probe.iterations = {1, 10};
    probe.modes = {mode, mode};
  }
  WorkerAnswer answer = worker.ask(probe, inputs.timeoutSeconds);
  if (mode == RunMode::graph && answer.fate == WorkerAnswer::Fate::Refused &&
      absl::StartsWith(answer.detail, "graph capture refused")) {
    result.graphRefusal = answer.detail;
    return absl::OkStatus();
  }
  if (answer.fate != WorkerAnswer::Fate::Answered) {
    return failureOf(answer, names[plan]);
  }
  auto &times = std::get<runtime::TimeReply>(answer.reply).microseconds;
  double us = times.size() == 2 && times[1] > 0 ? times[1] : inputs.roundUs;
  Entry entry{plan, mode};
  entry.iterations =
      std::clamp<int64_t>(std::llround(inputs.roundUs / us), 1, 10000);
  entries.push_back(entry);
  return absl::OkStatus();
}

absl::StatusOr<std::vector<double>> Check::time(absl::Span<const int> order) {
  runtime::TimeRequest request;
  for (int index : order) {
    request.ids.push_back(names[entries[index].plan]);
    request.iterations.push_back(entries[index].iterations);
    if (inputs.onGpu) {
      request.modes.push_back(entries[index].mode);
    }
  }
  absl::StatusOr<runtime::Reply> reply =
      ask(worker, request, inputs.timeoutSeconds, "timing");
  if (!reply.ok()) {
    return reply.status();
  }
  return std::get<runtime::TimeReply>(*reply).microseconds;
}

int Check::best(int plan) const {
  int best = -1;
  for (int i = 0; i < int(entries.size()); ++i) {
    if (entries[i].plan == plan &&
        (best < 0 || rounds.contestants[i].ratio.value <
                         rounds.contestants[best].ratio.value)) {
      best = i;
    }
  }
  return best;
}

Verdict Check::compare(int first, int second, std::string key) const {
  const Contestant &a = rounds.contestants[first];
  const Contestant &b = rounds.contestants[second];
  // Who was dropped early has samples of the first rounds only.
  size_t count = std::min(a.samplesUs.size(), b.samplesUs.size());
  runtime::Estimate ratio =
      runtime::estimateRatio(absl::MakeConstSpan(a.samplesUs).first(count),
                             absl::MakeConstSpan(b.samplesUs).first(count));
  Verdict verdict;
  verdict.plan = std::move(key);
  verdict.device = inputs.device;
  verdict.description = inputs.description;
  verdict.versions = inputs.versions;
  verdict.tunedUs = a.timeUs.value;
  verdict.defaultUs = b.timeUs.value;
  verdict.ratio = ratio.value;
  if (std::isfinite(ratio.high)) {
    verdict.ratioLow = ratio.low;
    verdict.ratioHigh = ratio.high;
  }
  verdict.tunedShips = ratio.value <= 1;
  verdict.created = utcNow();
  return verdict;
}

std::string Check::singleCalls(int plan) {
  runtime::TimeRequest request;
  for (int i = 0; i < 5; ++i) {
    request.ids.insert(request.ids.end(), {names[plan], names[plan]});
    request.iterations.insert(request.iterations.end(), {10, 10});
    request.modes.insert(request.modes.end(),
                         {RunMode::graphCall, RunMode::streamCall});
  }
  WorkerAnswer answer = worker.ask(request, inputs.timeoutSeconds);
  auto *reply = std::get_if<runtime::TimeReply>(&answer.reply);
  if (answer.fate != WorkerAnswer::Fate::Answered || !reply ||
      reply->microseconds.size() != request.ids.size()) {
    return "";
  }
  std::vector<double> times[2];
  for (size_t i = 0; i < reply->microseconds.size(); ++i) {
    times[i % 2].push_back(reply->microseconds[i]);
  }
  return absl::StrFormat("; one synchronized call %.1f us by graph, %.1f us by "
                         "stream",
                         runtime::median(times[0]), runtime::median(times[1]));
}

absl::StatusOr<WholeModelResult> Check::run() {
  absl::Status status = load();
  if (status.ok()) {
    absl::StatusOr<RoundsResult> timed = runRounds(
        int(entries.size()),
        [&](absl::Span<const int> order) { return time(order); }, clock,
        inputs.rounds);
    status = timed.status();
    if (timed.ok()) {
      rounds = *std::move(timed);
    }
  }
  if (status.ok()) {
    int shipping = 0;
    if (inputs.plansDiffer && best(0) >= 0 && best(1) >= 0) {
      result.plans = compare(best(0), best(1), inputs.planKey);
      shipping = result.plans->tunedShips ? 0 : 1;
    }
    int byGraph = -1, byStream = -1;
    for (int i = 0; i < int(entries.size()); ++i) {
      if (entries[i].plan == shipping) {
        (entries[i].isGraph() ? byGraph : byStream) = i;
      }
    }
    if (byGraph >= 0 && byStream >= 0) {
      result.graph = compare(byGraph, byStream, graphKey(inputs.planKey));
      result.graph->description += singleCalls(shipping);
    } else if (!result.graphRefusal.empty() && inputs.streams) {
      // Kept, so that it is not tried again.
      Verdict &refused = result.graph.emplace();
      refused.plan = graphKey(inputs.planKey);
      refused.device = inputs.device;
      refused.description = result.graphRefusal;
      refused.versions = inputs.versions;
      refused.tunedShips = false;
      refused.created = utcNow();
    }
    result.measured = true;
  }
  for (const char *name : names) {
    (void)worker.ask(runtime::UnloadRequest{name}, inputs.timeoutSeconds);
  }
  if (!status.ok()) {
    return status;
  }
  return std::move(result);
}

/// After a check of both failed: whoever can be run without the other ships.
static absl::StatusOr<WholeModelResult>
checkEachAlone(const WholeModelInputs &inputs, Worker &worker,
               const Clock &clock, const absl::Status &failure) {
  for (bool isTunedLost : {false, true}) {
    WholeModelInputs alone = inputs;
    alone.plansDiffer = false;
    if (isTunedLost) {
      alone.tunedPath = inputs.defaultPath;
    }
    absl::StatusOr<WholeModelResult> result = Check(alone, worker, clock).run();
    if (result.ok()) {
      result->isTunedLost = isTunedLost;
      result->failure = std::string(failure.message());
      return result;
    }
  }
  return failure;
}

absl::StatusOr<WholeModelResult> checkWholeModel(const WholeModelInputs &inputs,
                                                 TuningDb &db, Worker &worker,
                                                 const Clock &clock) {
  absl::StatusOr<std::optional<WholeModelResult>> stored =
      findWholeModel(inputs, db);
  if (!stored.ok()) {
    return stored.status();
  }
  if (*stored) {
    return **std::move(stored);
  }
  absl::StatusOr<WholeModelResult> result = Check(inputs, worker, clock).run();
  if (!result.ok() && inputs.plansDiffer) {
    return checkEachAlone(inputs, worker, clock, result.status());
  }
  if (!result.ok()) {
    return result;
  }
  for (const std::optional<Verdict> &verdict : {result->plans, result->graph}) {
    if (verdict) {
      if (absl::Status status = db.putVerdict(*verdict); !status.ok()) {
        return status;
      }
    }
  }
  return result;
}

} // namespace minic::tune
