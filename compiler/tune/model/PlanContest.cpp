// SPDX-License-Identifier: Apache-2.0
//
// Requests to the worker, and the rounds made of them.

#include "compiler/tune/model/PlanContest.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

#include <algorithm>
#include <cmath>

namespace minic::tune {

using runtime::RunMode;

static RunMode callMode(RunMode mode) {
  return mode == RunMode::graph      ? RunMode::graphCall
         : mode == RunMode::whenIdle ? RunMode::whenIdleCall
                                     : RunMode::streamCall;
}

absl::Status failureOf(const WorkerAnswer &answer, const std::string &plan) {
  std::string text =
      absl::StrCat("whole-model check, ", plan, ": ", answer.detail);
  return answer.isMachines ? absl::FailedPreconditionError(text)
                           : absl::InternalError(text);
}

absl::StatusOr<runtime::Reply> PlanContest::ask(const runtime::Request &request,
                                                const std::string &what) {
  WorkerAnswer answer = worker.ask(request, options.timeoutSeconds);
  if (answer.fate == WorkerAnswer::Fate::Answered) {
    return std::move(answer.reply);
  }
  if (answer.fate == WorkerAnswer::Fate::Refused &&
      (absl::StartsWith(answer.detail, "graph capture refused") ||
       absl::StartsWith(answer.detail, "changed pointers refused"))) {
    return absl::UnimplementedError(answer.detail);
  }
  return failureOf(answer, what);
}

absl::StatusOr<double> PlanContest::probe(const Entry &entry, RunMode mode) {
  runtime::TimeRequest probe;
  probe.ids = {entry.plan};
  if (options.onGpu) {
    probe.modes = {mode};
    probe.runUs = {entry.runUs};
    probe.changes = {entry.changes};
  }
  auto time = [&](int64_t runs) -> absl::StatusOr<double> {
    probe.iterations = {runs};
    absl::StatusOr<runtime::Reply> reply = ask(probe, entry.plan);
    if (!reply.ok()) {
      return reply.status();
    }
    auto &times = std::get<runtime::TimeReply>(*reply).microseconds;
    return times.size() == 1 && times[0] > 0 ? times[0] : options.roundUs;
  };
  absl::StatusOr<double> us = time(1);
  // One is as good as ten where a round has no more of them.
  int64_t runs = us.ok() ? iterationsFor(*us, options.roundUs, /*most=*/10) : 1;
  return runs > 1 ? time(runs) : us;
}

absl::StatusOr<int> PlanContest::enter(const std::string &plan, RunMode mode,
                                       double runUs,
                                       runtime::ChangedPointers changes) {
  Entry entry{plan, mode, runUs, changes};
  absl::StatusOr<double> us = probe(entry, mode);
  if (!us.ok()) {
    return us.status();
  }
  entry.probedUs = *us;
  if (options.onGpu && mode != RunMode::device) {
    if (us = probe(entry, callMode(mode)); !us.ok()) {
      return us.status();
    }
    entry.probedCallUs = *us;
  }
  entries.push_back(std::move(entry));
  return int(entries.size()) - 1;
}

Figures PlanContest::probed(int first, int second) const {
  Figures figures;
  figures.backToBack.tunedUs = entries[first].probedUs;
  figures.backToBack.defaultUs = entries[second].probedUs;
  figures.call.tunedUs = entries[first].probedCallUs;
  figures.call.defaultUs = entries[second].probedCallUs;
  return figures;
}

double PlanContest::costUs(const Entry &entry) const {
  double us = 0;
  for (double runUs : {entry.probedUs, entry.probedCallUs}) {
    // One more, untimed, goes before the others.
    us += runUs > 0 ? double(iterationsFor(runUs, options.roundUs) + 1) * runUs
                    : 0;
  }
  return us;
}

double PlanContest::expectedRounds(absl::Span<const int> alike) const {
  double us = 0;
  for (const Entry &entry : entries) {
    us += costUs(entry);
  }
  for (int entry : alike) {
    us += costUs(entries[entry]);
  }
  // A round times one of its contestants, two for each entry, twice.
  us *= 1 + 1 / (2 * double(entries.size() + alike.size()));
  return 1e6 * options.rounds.maxSeconds / us;
}

absl::StatusOr<RoundTimes> PlanContest::time(absl::Span<const int> order) {
  runtime::TimeRequest request;
  for (int index : order) {
    bool isCall = contestants[index].isCall;
    const Entry &entry = entries[contestants[index].entry];
    request.ids.push_back(entry.plan);
    request.iterations.push_back(iterationsFor(
        isCall ? entry.probedCallUs : entry.probedUs, options.roundUs));
    if (options.onGpu) {
      request.modes.push_back(isCall ? callMode(entry.mode) : entry.mode);
      request.runUs.push_back(entry.runUs);
      request.changes.push_back(entry.changes);
    }
  }
  if (!options.onGpu) {
    request.retakeUs = options.retakeUs;
    meter.beforeRound();
  }
  absl::StatusOr<runtime::Reply> reply = ask(request, "timing");
  if (!reply.ok()) {
    return reply.status();
  }
  auto &timed = std::get<runtime::TimeReply>(*reply);
  clocks.include(timed.smClockMHz);
  RoundTimes times(std::move(timed.microseconds));
  times.disturbed = std::move(timed.disturbed);
  for (size_t i = 0; i < std::min(timed.firstTakesUs.size(), order.size());
       ++i) {
    meter.add(std::to_string(order[i]), timed.firstTakesUs[i]);
  }
  return times;
}

absl::Status PlanContest::run() {
  contestants.clear();
  for (bool isCall : {false, true}) {
    for (int entry = 0; entry < int(entries.size()); ++entry) {
      if (!isCall || entries[entry].probedCallUs > 0) {
        contestants.push_back({entry, isCall});
      }
    }
  }
  options.rounds.pairs.clear();
  for (int first = 0; first < int(contestants.size()); ++first) {
    for (int second = first + 1; second < int(contestants.size()); ++second) {
      if (areAlike(contestants[first], contestants[second])) {
        options.rounds.pairs.push_back({first, second});
      }
    }
  }
  if (options.rounds.pairs.empty()) {
    return absl::OkStatus();
  }
  absl::StatusOr<RoundsResult> timed = runRounds(
      int(contestants.size()),
      [&](absl::Span<const int> order) { return time(order); }, clock,
      options.rounds);
  if (timed.ok()) {
    rounds = *std::move(timed);
  }
  return timed.status();
}

bool PlanContest::areAlike(const Contestant &first,
                           const Contestant &second) const {
  auto isDevices = [&](const Contestant &contestant) {
    return entries[contestant.entry].mode == RunMode::device;
  };
  return first.isCall == second.isCall && isDevices(first) == isDevices(second);
}

int PlanContest::findContestant(int entry, bool isCall) const {
  auto found = std::find_if(
      contestants.begin(), contestants.end(), [&](const Contestant &other) {
        return other.entry == entry && other.isCall == isCall;
      });
  return found == contestants.end() ? -1 : int(found - contestants.begin());
}

int PlanContest::findPair(int first, int second) const {
  const auto &pairs = options.rounds.pairs;
  auto found =
      std::find(pairs.begin(), pairs.end(),
                std::pair(std::min(first, second), std::max(first, second)));
  return found == pairs.end() ? -1 : int(found - pairs.begin());
}

Comparison PlanContest::compare(int first, int second, bool isCall) const {
  first = findContestant(first, isCall);
  second = findContestant(second, isCall);
  int pair = findPair(first, second);
  if (pair < 0) {
    return {};
  }
  runtime::Estimate ratio = rounds.pairRatios[pair];
  if (second < first) {
    ratio = {1 / ratio.value, 1 / ratio.high, 1 / ratio.low};
  }
  Comparison result;
  result.tunedUs = rounds.contestants[first].timeUs.value;
  result.defaultUs = rounds.contestants[second].timeUs.value;
  result.ratio = ratio.value;
  if (std::isfinite(ratio.high)) {
    result.ratioLow = ratio.low;
    result.ratioHigh = ratio.high;
  }
  return result;
}

Figures PlanContest::figures(int first, int second) const {
  int pair = findPair(findContestant(first, /*isCall=*/false),
                      findContestant(second, /*isCall=*/false));
  return {.backToBack = compare(first, second, /*isCall=*/false),
          .call = compare(first, second, /*isCall=*/true),
          .isDisturbed = pair >= 0 && rounds.pairIsDisturbed[pair]};
}

} // namespace minic::tune
