// SPDX-License-Identifier: Apache-2.0

#include "compiler/tune/WholeModelCheck.h"

#include "absl/strings/str_cat.h"

#include <algorithm>
#include <cmath>

namespace minic::tune {

static constexpr const char *names[] = {"tuned", "default"};

RoundsOptions WholeModelInputs::wholeModelRounds() {
  RoundsOptions rounds;
  rounds.maxRounds = 500;
  rounds.maxSeconds = 5;
  rounds.indifference = 0.01;
  rounds.hopeless = 1e9; // the ratio is what is asked for
  return rounds;
}

static absl::StatusOr<runtime::Reply> ask(Worker &worker,
                                          const runtime::Request &request,
                                          double timeoutSeconds,
                                          const char *what) {
  WorkerAnswer answer = worker.ask(request, timeoutSeconds);
  if (answer.fate == WorkerAnswer::Fate::Answered) {
    return std::move(answer.reply);
  }
  return absl::AbortedError(
      absl::StrCat("whole-model check, ", what, ": ", answer.detail));
}

absl::StatusOr<Verdict> checkWholeModel(const WholeModelInputs &inputs,
                                        TuningDb &db, Worker &worker,
                                        const Clock &clock, bool &measured) {
  measured = false;
  if (!inputs.retune) {
    absl::StatusOr<std::optional<Verdict>> stored =
        db.findVerdict(inputs.planKey, inputs.device, inputs.versions);
    if (!stored.ok()) {
      return stored.status();
    }
    if (*stored) {
      return **std::move(stored);
    }
  }
  const std::string *paths[] = {&inputs.tunedPath, &inputs.defaultPath};
  std::vector<int64_t> iterations;
  for (int i = 0; i < 2; ++i) {
    runtime::LoadRequest load;
    load.id = names[i];
    load.path = *paths[i];
    load.function = inputs.function;
    absl::StatusOr<runtime::Reply> reply =
        ask(worker, load, inputs.timeoutSeconds, names[i]);
    if (!reply.ok()) {
      return reply.status();
    }
    runtime::TimeRequest probe;
    probe.ids = {names[i], names[i]};
    probe.iterations = {1, 1};
    reply = ask(worker, probe, inputs.timeoutSeconds, names[i]);
    if (!reply.ok()) {
      return reply.status();
    }
    auto &times = std::get<runtime::TimeReply>(*reply).microseconds;
    double us = times.size() == 2 && times[1] > 0 ? times[1] : inputs.roundUs;
    iterations.push_back(
        std::clamp<int64_t>(std::llround(inputs.roundUs / us), 1, 10000));
  }
  auto timeRound =
      [&](absl::Span<const int> order) -> absl::StatusOr<std::vector<double>> {
    runtime::TimeRequest request;
    for (int entry : order) {
      request.ids.push_back(names[entry]);
      request.iterations.push_back(iterations[entry]);
    }
    absl::StatusOr<runtime::Reply> reply =
        ask(worker, request, inputs.timeoutSeconds, "timing");
    if (!reply.ok()) {
      return reply.status();
    }
    return std::get<runtime::TimeReply>(*reply).microseconds;
  };
  absl::StatusOr<RoundsResult> result =
      runRounds(2, timeRound, clock, inputs.rounds);
  for (const char *name : names) {
    (void)worker.ask(runtime::UnloadRequest{name}, inputs.timeoutSeconds);
  }
  if (!result.ok()) {
    return result.status();
  }
  const Contestant &tuned = result->contestants[0];
  const Contestant &byDefault = result->contestants[1];
  runtime::Estimate ratio =
      runtime::estimateRatio(tuned.samplesUs, byDefault.samplesUs);
  Verdict verdict;
  verdict.plan = inputs.planKey;
  verdict.device = inputs.device;
  verdict.description = inputs.description;
  verdict.versions = inputs.versions;
  verdict.tunedUs = tuned.timeUs.value;
  verdict.defaultUs = byDefault.timeUs.value;
  verdict.ratio = ratio.value;
  if (std::isfinite(ratio.high)) {
    verdict.ratioLow = ratio.low;
    verdict.ratioHigh = ratio.high;
  }
  verdict.tunedShips = ratio.value <= 1;
  verdict.created = utcNow();
  if (absl::Status status = db.putVerdict(verdict); !status.ok()) {
    return status;
  }
  measured = true;
  return verdict;
}

} // namespace minic::tune
