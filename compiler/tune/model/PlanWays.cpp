// SPDX-License-Identifier: Apache-2.0
//
// Knockouts by the rule that ShipRule has for two.

#include "compiler/tune/model/PlanWays.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

#include <algorithm>

namespace minic::tune {

using runtime::RunMode;

double busyUs(const Figures &graphOverStream) {
  const Comparison &backToBack = graphOverStream.backToBack;
  const Comparison &call = graphOverStream.call;
  return (std::max(backToBack.tunedUs, backToBack.defaultUs) +
          std::min(call.tunedUs, call.defaultUs)) /
         2;
}

absl::Status enterWhenIdle(PlanContest &contest,
                           absl::Span<PlanWays *const> plans) {
  std::vector<PlanWays *> entering;
  std::vector<int> graphs;
  for (PlanWays *ways : plans) {
    if (ways->graph >= 0 && ways->stream >= 0) {
      entering.push_back(ways);
      graphs.push_back(ways->graph);
    }
  }
  if (entering.empty()) {
    return absl::OkStatus();
  }
  double rounds = contest.expectedRounds(graphs);
  for (PlanWays *ways : entering) {
    if (rounds < runtime::leastSamples) {
      ways->whenIdleRefusal = absl::StrFormat(
          "replay when idle left out: there was time for %d rounds with it, an "
          "interval needs %d",
          int(rounds), runtime::leastSamples);
      continue;
    }
    absl::StatusOr<int> entered =
        contest.enter(contest.plan(ways->graph), RunMode::whenIdle,
                      busyUs(contest.probed(ways->graph, ways->stream)));
    if (!entered.ok()) {
      return entered.status();
    }
    ways->whenIdle = *entered;
  }
  return absl::OkStatus();
}

/// A few launches: one takes the host of an H200 2 to 3 us, and an attention
/// that takes the device 3.6 took 4.2 to 4.9 back to back. Plans of more
/// launches replay a graph, which the device bounds.
static constexpr double mostLaunchedUs = 20;

bool isShortRun(double us) { return us <= mostLaunchedUs; }

void enterDevice(PlanContest &contest, absl::Span<PlanWays *const> plans) {
  for (const PlanWays *ways : plans) {
    if (ways->stream < 0 ||
        !isShortRun(
            contest.probed(ways->stream, ways->stream).backToBack.tunedUs)) {
      return;
    }
  }
  for (PlanWays *ways : plans) {
    absl::StatusOr<int> entered =
        contest.enter(contest.plan(ways->stream), RunMode::device);
    // Perhaps it cannot be captured: nothing depends on it.
    ways->device = entered.ok() ? *entered : -1;
  }
}

std::vector<int> inOrder(const PlanContest &contest, const PlanWays &ways) {
  std::vector<int> remaining, order;
  for (int way : {ways.stream, ways.graph, ways.whenIdle}) {
    if (way >= 0) {
      remaining.push_back(way);
    }
  }
  // Sorting would need an order: intervals that overlap in a row are none.
  while (!remaining.empty()) {
    auto best = remaining.begin();
    for (auto other = best + 1; other != remaining.end(); ++other) {
      if (isBetter(contest.figures(*other, *best))) {
        best = other;
      }
    }
    order.push_back(*best);
    remaining.erase(best);
  }
  return order;
}

int bestOverStream(const PlanContest &contest, const PlanWays &ways) {
  for (int way : inOrder(contest, ways)) {
    if (way == ways.stream) {
      return way;
    }
    Figures overStream = contest.figures(way, ways.stream);
    if (mayShip(overStream) ||
        (way == ways.whenIdle && mayShipWhenIdle(overStream))) {
      return way;
    }
  }
  return ways.stream;
}

static const char *nameOf(RunMode mode) {
  return mode == RunMode::graph      ? "graph replay"
         : mode == RunMode::whenIdle ? "replay when idle"
                                     : "launching on a stream";
}

std::string reasonFor(const PlanContest &contest, const PlanWays &ways, int way,
                      int shipping) {
  std::vector<int> order = inOrder(contest, ways);
  auto refused = way == shipping ? order.begin()
                                 : std::find(order.begin(), order.end(), way);
  if (refused < std::find(order.begin(), order.end(), shipping)) {
    return absl::StrCat(nameOf(contest.mode(*refused)),
                        " gains too little over default mode");
  }
  if (way == shipping || shipping == ways.stream) {
    return describeDecision(contest.figures(way, ways.stream));
  }
  return absl::StrCat(nameOf(contest.mode(shipping)), " won: ",
                      describeDecision(contest.figures(way, shipping)));
}

const char *describeWay(RunMode mode) {
  return mode == RunMode::whenIdle ? "graph when idle"
                                   : runtime::toString(mode);
}

} // namespace minic::tune
