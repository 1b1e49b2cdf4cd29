// SPDX-License-Identifier: Apache-2.0
//
// Two plans, one way, twice where it matters.

#include "compiler/tune/model/TrialContest.h"
#include "compiler/tune/model/PlanLoading.h"

#include "absl/strings/str_cat.h"

namespace minic::tune {

using runtime::RunMode;

/// Who takes so much longer in a few runs needs no rounds; as in RoundsOptions.
static constexpr double hopeless = 1.25;

TrialContest::~TrialContest() {
  for (const std::string &id : loaded) {
    (void)worker.ask(runtime::UnloadRequest{id}, inputs.timeoutSeconds);
  }
}

absl::Status TrialContest::load(TrialPlan &plan) {
  absl::StatusOr<runtime::LoadReply> reply =
      loadPlan(inputs, worker, plan.id, plan.path);
  if (!reply.ok()) {
    return reply.status();
  }
  loaded.insert(plan.id);
  plan.hasLibraryTeam = reply->callsLibrary && reply->threads > 1;
  return absl::OkStatus();
}

void TrialContest::unload(const TrialPlan &plan) {
  if (loaded.erase(plan.id) > 0) {
    (void)worker.ask(runtime::UnloadRequest{plan.id}, inputs.timeoutSeconds);
  }
}

absl::Status TrialContest::begin(TrialPlan &first) {
  if (absl::Status status = load(first); !status.ok()) {
    return status;
  }
  std::vector<RunMode> ways = {RunMode::device};
  if (inputs.onGpu) {
    ways.clear();
    if (inputs.graphs) {
      ways.push_back(RunMode::graph);
    }
    if (inputs.streams) {
      ways.push_back(RunMode::stream);
    }
  }
  absl::Status status;
  for (RunMode way : ways) {
    PlanContest contest(worker, clock, contestOptions(inputs, trialSeconds));
    absl::StatusOr<int> entered = contest.enter(first.id, way);
    status = entered.status();
    if (entered.ok()) {
      way_ = way;
      runUs = contest.probed(*entered, *entered).backToBack.tunedUs;
      timesDevice = inputs.onGpu && isShortRun(runUs) &&
                    contest.enter(first.id, RunMode::device).ok();
      return status;
    }
    // Unimplemented: it cannot be captured.
    if (!absl::IsUnimplemented(status)) {
      return status;
    }
  }
  return status;
}

std::string TrialContest::describeWay() const {
  return absl::StrCat(runtime::toString(way_),
                      timesDevice ? ", short runs on the device" : "");
}

double TrialContest::leastSeconds() const {
  // A sample has an untimed run before a timed one. There are one of each plan
  // to begin with, then a round has three.
  constexpr double runs = 2 * (2 + 3 * runtime::leastSamples);
  return 1e-6 * runs * runUs;
}

void TrialContest::note(const PlanContest &contest, const Figures &figures) {
  for (double mhz : {contest.smClock().lowMHz, contest.smClock().highMHz}) {
    clocks.include(mhz);
  }
  if (inputs.onGpu) {
    return;
  }
  if (Noise noise = contest.noise();
      noise.isKnown() && (!noise_.isKnown() || noise.spread > noise_.spread)) {
    noise_ = noise;
  }
  bool isHeldBack = figures.isDisturbed && figures.backToBack.isShorter() &&
                    !mayReplace(figures);
  isUndecided_ |= contest.isUndecided() || isHeldBack;
}

absl::StatusOr<Figures> TrialContest::timeLoaded(const TrialPlan &changed,
                                                 const TrialPlan &before,
                                                 double mostSeconds) {
  PlanContest::Options options = contestOptions(inputs, trialSeconds);
  options.rounds.mostSeconds = mostSeconds;
  PlanContest contest(worker, clock, std::move(options));
  std::vector<RunMode> ways = {way_};
  if (timesDevice) {
    ways.push_back(RunMode::device);
  }
  std::vector<std::pair<int, int>> pairs;
  for (RunMode way : ways) {
    absl::StatusOr<int> second = contest.enter(before.id, way);
    absl::StatusOr<int> first =
        second.ok() ? contest.enter(changed.id, way) : second.status();
    if (!first.ok()) {
      return first.status();
    }
    pairs.push_back({*first, *second});
  }
  auto [first, second] = pairs.front();
  auto [changedAlone, beforeAlone] = pairs.back();
  Figures figures = contest.probed(changedAlone, beforeAlone);
  Comparison &probed = figures.backToBack;
  probed.ratio = probed.tunedUs / probed.defaultUs;
  if (probed.ratio > hopeless) {
    figures.call = {};
    return figures;
  }
  if (absl::Status status = contest.run(); !status.ok()) {
    return status;
  }
  figures = contest.figures(first, second);
  if (timesDevice) {
    figures.device = contest.figures(changedAlone, beforeAlone).backToBack;
  }
  figures.teamsDiffer = changed.hasLibraryTeam != before.hasLibraryTeam;
  note(contest, figures);
  return figures;
}

absl::StatusOr<Figures> TrialContest::timeAnew(TrialPlan &changed,
                                               TrialPlan &before,
                                               double mostSeconds) {
  unload(before);
  unload(changed);
  absl::Status status = load(changed);
  if (status.ok()) {
    status = load(before);
  }
  return status.ok() ? timeLoaded(changed, before, mostSeconds) : status;
}

absl::StatusOr<Figures>
TrialContest::time(TrialPlan &changed, TrialPlan &before, double mostSeconds) {
  if (absl::Status status = load(changed); !status.ok()) {
    return status;
  }
  absl::StatusOr<Figures> figures = timeLoaded(changed, before, mostSeconds);
  return figures.ok() && mayReplace(*figures)
             ? timeAnew(changed, before, mostSeconds)
             : figures;
}

} // namespace minic::tune
