// SPDX-License-Identifier: Apache-2.0
//
// The tuned plan in every way of running it, and the default plan in default
// mode's, are contestants of the same rounds, by both figures.

#include "compiler/tune/model/WholeModelCheck.h"
#include "compiler/tune/model/PlanLoading.h"
#include "compiler/tune/model/PlanWays.h"
#include "compiler/tune/model/PointerContest.h"
#include "compiler/tune/model/WholeModelVerdicts.h"

#include "absl/strings/str_cat.h"

#include <set>

namespace minic::tune {

using runtime::RunMode;

RoundsOptions WholeModelInputs::wholeModelRounds() {
  RoundsOptions rounds;
  rounds.maxRounds = 500;
  rounds.maxSeconds = 5;
  rounds.indifference = 0.01;
  return rounds;
}

namespace {

class Check {
public:
  Check(const WholeModelInputs &inputs, Worker &worker, const Clock &clock)
      : inputs(inputs), worker(worker), clock(clock) {}

  absl::StatusOr<WholeModelResult> run();

private:
  absl::Status check();
  absl::Status load(const char *plan, const std::string &path);
  PlanContest makeContest(double maxSeconds) const;
  /// A loaded plan by stream, and by graph unless it is refused.
  absl::StatusOr<PlanWays> enterWays(PlanContest &contest, const char *plan);
  /// The default plan, by stream where streams take part, and by graph where
  /// default mode replays it.
  absl::StatusOr<PlanWays> enterDefault(PlanContest &contest);
  /// The best way that may ship in place of the default plan; -1: none.
  int bestWay(const PlanContest &contest, const PlanWays &ways,
              const PlanWays &defaults) const;
  /// One way of a tuned plan against the default plan.
  Figures overDefault(const PlanContest &contest, const PlanWays &ways, int way,
                      const PlanWays &defaults) const;
  /// Of two tuned plans the generated one, if it is better. This verdict and
  /// the next have no key yet.
  Verdict judgeGenerated(const PlanContest &contest, const PlanWays &generated,
                         const PlanWays &tuned, const PlanWays &defaults) const;
  /// The tuned plan, which ships as bestWay() says, against the default one.
  Verdict judgePlans(const PlanContest &contest, const PlanWays &ways,
                     const PlanWays &defaults) const;
  /// As if only streams had been asked for.
  void decideOfStreams(const PlanContest &contest,
                       const std::optional<PlanWays> &generated,
                       const PlanWays &tuned, const PlanWays &defaults);
  /// `shipping`: the way of the tuned plan; -1: free to choose.
  void decideWay(const PlanContest &contest, const PlanWays &ways,
                 int shipping);
  /// Of `plan`, which ships.
  absl::Status decidePointers(const std::string &plan);
  absl::Status measurePointers(const std::string &plan);
  Verdict verdict(const PlanContest &contest, const Figures &figures,
                  std::string key = "") const;
  /// That nothing was measured, and why. Kept, so that it is not tried again.
  Verdict refusal(const PlanContest &contest, absl::string_view row,
                  const std::string &reason) const;

  const WholeModelInputs &inputs;
  Worker &worker;
  const Clock &clock;
  WholeModelResult result;
  std::set<std::string> loadedWithCallers; // see LoadReply::libraryUsesCallers
};

} // namespace

absl::Status Check::load(const char *plan, const std::string &path) {
  absl::StatusOr<runtime::LoadReply> reply =
      loadPlan(inputs, worker, plan, path);
  if (reply.ok() && reply->libraryUsesCallers) {
    loadedWithCallers.insert(plan);
  }
  return reply.status();
}

PlanContest Check::makeContest(double maxSeconds) const {
  return PlanContest(worker, clock, contestOptions(inputs, maxSeconds));
}

absl::StatusOr<PlanWays> Check::enterWays(PlanContest &contest,
                                          const char *plan) {
  PlanWays ways;
  if (inputs.onGpu && inputs.graphs) {
    absl::StatusOr<int> graph = contest.enter(plan, RunMode::graph);
    if (graph.ok()) {
      ways.graph = *graph;
    } else if (!absl::IsUnimplemented(graph.status())) {
      return graph.status();
    } else if (!inputs.streams) {
      return absl::FailedPreconditionError(
          absl::StrCat("whole-model check: ", graph.status().message()));
    } else {
      ways.graphRefusal = std::string(graph.status().message());
    }
  }
  if (!inputs.onGpu || inputs.streams) {
    absl::StatusOr<int> stream =
        contest.enter(plan, inputs.onGpu ? RunMode::stream : RunMode::device);
    if (!stream.ok()) {
      return stream.status();
    }
    ways.stream = *stream;
  }
  return ways;
}

absl::StatusOr<PlanWays> Check::enterDefault(PlanContest &contest) {
  if (absl::Status status = load("default", inputs.defaultPath); !status.ok()) {
    return status;
  }
  bool isReplayed = inputs.graphs && (inputs.defaultReplays || !inputs.streams);
  if (isReplayed || !inputs.onGpu) {
    return enterWays(contest, "default");
  }
  absl::StatusOr<int> stream = contest.enter("default", RunMode::stream);
  if (!stream.ok()) {
    return stream.status();
  }
  PlanWays ways;
  ways.stream = *stream;
  return ways;
}

Verdict Check::verdict(const PlanContest &contest, const Figures &figures,
                       std::string key) const {
  Verdict verdict;
  verdict.plan = std::move(key);
  verdict.device = inputs.device;
  verdict.description = inputs.description;
  verdict.versions = inputs.versions;
  verdict.backToBack = figures.backToBack;
  verdict.call = figures.call;
  verdict.created = utcNow();
  verdict.clock = contest.smClock();
  if (!inputs.onGpu) {
    verdict.noise = contest.noise();
  }
  return verdict;
}

Verdict Check::refusal(const PlanContest &contest, absl::string_view row,
                       const std::string &reason) const {
  Verdict refused = verdict(contest, {}, verdictKey(inputs, row));
  refused.tunedShips = false;
  refused.reason = reason;
  return refused;
}

/// The default plan's way in default mode.
static int wayOfDefault(const PlanWays &defaults) {
  return defaults.graph >= 0 ? defaults.graph : defaults.stream;
}

Figures Check::overDefault(const PlanContest &contest, const PlanWays &ways,
                           int way, const PlanWays &defaults) const {
  int byDefault = wayOfDefault(defaults);
  Figures figures = contest.figures(way, byDefault);
  figures.teamsDiffer = inputs.teamsDiffer;
  // Replayed when idle, a plan is launched on a busy stream.
  bool isAlike = (way == ways.graph) == (byDefault == defaults.graph);
  if (inputs.launchesNoMore && isAlike && ways.device >= 0 &&
      defaults.device >= 0) {
    figures.device = contest.figures(ways.device, defaults.device).backToBack;
  }
  return figures;
}

int Check::bestWay(const PlanContest &contest, const PlanWays &ways,
                   const PlanWays &defaults) const {
  for (int way : inOrder(contest, ways)) {
    if (mayShip(overDefault(contest, ways, way, defaults))) {
      return way;
    }
  }
  return -1;
}

Verdict Check::judgeGenerated(const PlanContest &contest,
                              const PlanWays &generated, const PlanWays &tuned,
                              const PlanWays &defaults) const {
  int ours = bestWay(contest, generated, defaults);
  int theirs = bestWay(contest, tuned, defaults);
  // Where only one of them may ship it is that one.
  Figures figures =
      contest.figures(ours >= 0 ? ours : inOrder(contest, generated).front(),
                      theirs >= 0 ? theirs : inOrder(contest, tuned).front());
  Verdict verdict = this->verdict(contest, figures);
  verdict.tunedShips = ours >= 0 && (theirs < 0 || isBetter(figures));
  return verdict;
}

Verdict Check::judgePlans(const PlanContest &contest, const PlanWays &ways,
                          const PlanWays &defaults) const {
  int shipping = bestWay(contest, ways, defaults);
  int shown = shipping >= 0 ? shipping : inOrder(contest, ways).front();
  Figures figures = overDefault(contest, ways, shown, defaults);
  Verdict plans = verdict(contest, figures);
  plans.tunedShips = shipping >= 0;
  // What disturbed figures could not ship may be the faster plan.
  bool isHeldBack =
      figures.isDisturbed && shipping < 0 && figures.backToBack.isShorter();
  plans.isProvisional = !inputs.onGpu && (contest.isUndecided() || isHeldBack);
  if (inputs.onGpu) {
    plans.reason = absl::StrCat(
        "tuned by ", describeWay(contest.mode(shown)), ", default by ",
        describeWay(contest.mode(wayOfDefault(defaults))),
        describeDevice(figures));
  }
  return plans;
}

void Check::decideOfStreams(const PlanContest &contest,
                            const std::optional<PlanWays> &generated,
                            const PlanWays &tuned, const PlanWays &defaults) {
  WholeModelInputs asked = inputs;
  asked.graphs = false;
  auto streamOf = [](const PlanWays &ways) {
    PlanWays alone;
    alone.stream = ways.stream;
    alone.device = ways.device;
    return alone;
  };
  PlanWays ways = streamOf(tuned), byDefault = streamOf(defaults);
  if (generated) {
    Verdict &verdict = result.ofStreams.emplace_back(
        judgeGenerated(contest, streamOf(*generated), ways, byDefault));
    verdict.plan = verdictKey(asked, Verdict::kGeneratedRow);
    verdict.description += ", on streams only";
    if (verdict.tunedShips) {
      ways = streamOf(*generated);
    }
  }
  Verdict plans = judgePlans(contest, ways, byDefault);
  plans.plan = verdictKey(asked, Verdict::kPlansRow);
  plans.description += ", on streams only";
  result.ofStreams.push_back(std::move(plans));
}

void Check::decideWay(const PlanContest &contest, const PlanWays &ways,
                      int shipping) {
  if (!ways.graphRefusal.empty()) {
    result.graph = refusal(contest, Verdict::kGraphRow, ways.graphRefusal);
  }
  if (ways.graph < 0 || ways.stream < 0) {
    return;
  }
  if (shipping < 0) {
    shipping = bestOverStream(contest, ways);
  }
  auto judge = [&](int way, absl::string_view row) {
    Verdict verdict = this->verdict(contest, contest.figures(way, ways.stream),
                                    verdictKey(inputs, row));
    verdict.tunedShips = shipping == way;
    verdict.reason = reasonFor(contest, ways, way, shipping);
    return verdict;
  };
  result.graph = judge(ways.graph, Verdict::kGraphRow);
  result.whenIdle =
      ways.whenIdle >= 0
          ? judge(ways.whenIdle, Verdict::kWhenIdleRow)
          : refusal(contest, Verdict::kWhenIdleRow, ways.whenIdleRefusal);
}

absl::Status Check::measurePointers(const std::string &plan) {
  // A sixth of the time: what is decided here matters to few callers.
  PlanContest contest = makeContest(inputs.rounds.maxSeconds / 6);
  absl::StatusOr<PointerFigures> figures = timeChangedPointers(contest, plan);
  if (!figures.ok()) {
    return figures.status();
  }
  const Figures &changed = figures->stageOverLaunch;
  result.pointers =
      verdict(contest, changed, verdictKey(inputs, Verdict::kPointersRow));
  result.pointers->tunedShips = isBetter(changed);
  result.pointers->reason = describeDecision(changed);
  result.update = verdict(contest, figures->updateOverSame.value_or(Figures()),
                          verdictKey(inputs, Verdict::kUpdateRow));
  result.update->tunedShips = false;
  result.update->reason = figures->updateRefusal;
  return absl::OkStatus();
}

absl::Status Check::decidePointers(const std::string &plan) {
  if (!replaysGraph(inputs, result)) {
    return absl::OkStatus();
  }
  absl::Status status =
      loadedWithCallers.contains(plan)
          ? measurePointers(plan)
          : absl::UnimplementedError(
                "no library call uses a tensor of the caller's");
  if (absl::IsUnimplemented(status)) {
    result.pointers = refusal(makeContest(0), Verdict::kPointersRow,
                              std::string(status.message()));
    return absl::OkStatus();
  }
  // Perhaps there is no memory for more operands: nothing depends on it.
  return absl::IsFailedPrecondition(status) ? absl::OkStatus() : status;
}

absl::Status Check::check() {
  double maxSeconds = inputs.rounds.maxSeconds;
  PlanContest first = makeContest(maxSeconds);
  absl::Status status;
  std::optional<PlanWays> generated;
  if (inputs.hasGenerated) {
    if (status = load("generated", inputs.generatedPath); !status.ok()) {
      return status;
    }
    absl::StatusOr<PlanWays> entered = enterWays(first, "generated");
    if (!entered.ok()) {
      return entered.status();
    }
    generated = *std::move(entered);
  }
  if (status = load("tuned", inputs.tunedPath); !status.ok()) {
    return status;
  }
  absl::StatusOr<PlanWays> ways = enterWays(first, "tuned");
  if (!ways.ok()) {
    return ways.status();
  }
  PlanWays defaults;
  if (inputs.plansDiffer) {
    absl::StatusOr<PlanWays> entered = enterDefault(first);
    if (!entered.ok()) {
      return entered.status();
    }
    defaults = *std::move(entered);
  }
  std::vector<PlanWays *> tunedWays = {&*ways};
  if (generated) {
    tunedWays.push_back(&*generated);
  }
  if (status = enterWhenIdle(first, tunedWays); !status.ok()) {
    return status;
  }
  if (inputs.onGpu && inputs.plansDiffer && inputs.launchesNoMore) {
    std::vector<PlanWays *> all = tunedWays;
    all.push_back(&defaults);
    enterDevice(first, all);
  }
  if (status = first.run(); !status.ok()) {
    return status;
  }
  int shipping = -1;
  std::string ships = "tuned";
  if (inputs.plansDiffer) {
    if (inputs.onGpu && inputs.streams && inputs.graphs) {
      decideOfStreams(first, generated, *ways, defaults);
    }
    if (generated) {
      result.generated = judgeGenerated(first, *generated, *ways, defaults);
      result.generated->plan = verdictKey(inputs, Verdict::kGeneratedRow);
      if (result.generated->tunedShips) {
        ways = *generated;
        ships = "generated";
      }
    }
    result.plans = judgePlans(first, *ways, defaults);
    result.plans->plan = verdictKey(inputs, Verdict::kPlansRow);
    shipping = bestWay(first, *ways, defaults);
  }
  if (shipping >= 0 || !inputs.plansDiffer) {
    decideWay(first, *ways, shipping);
    return decidePointers(ships);
  }
  PlanContest second = makeContest(maxSeconds / 2);
  if (ways = enterWays(second, "default"); !ways.ok()) {
    return ways.status();
  }
  if (status = enterWhenIdle(second, {&*ways}); !status.ok()) {
    return status;
  }
  if (status = second.run(); !status.ok()) {
    return status;
  }
  decideWay(second, *ways, /*shipping=*/-1);
  return decidePointers("default");
}

absl::StatusOr<WholeModelResult> Check::run() {
  absl::Status status = check();
  for (const char *plan : {"tuned", "default", "generated"}) {
    (void)worker.ask(runtime::UnloadRequest{plan}, inputs.timeoutSeconds);
  }
  if (!status.ok()) {
    return status;
  }
  result.measured = true;
  return std::move(result);
}

/// After a check of both failed: whoever can be run without the other ships.
static absl::StatusOr<WholeModelResult>
checkEachAlone(const WholeModelInputs &inputs, Worker &worker,
               const Clock &clock, const absl::Status &failure) {
  for (bool isTunedLost : {false, true}) {
    WholeModelInputs alone = inputs;
    alone.plansDiffer = alone.hasGenerated = false;
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
  if (!result.ok() && inputs.hasGenerated) {
    // Perhaps it is the one that nobody has to have.
    WholeModelInputs others = inputs;
    others.hasGenerated = false;
    result = Check(others, worker, clock).run();
  }
  if (!result.ok() && inputs.plansDiffer) {
    return checkEachAlone(inputs, worker, clock, result.status());
  }
  if (!result.ok()) {
    return result;
  }
  if (absl::Status status = storeWholeModel(*result, db); !status.ok()) {
    return status;
  }
  return result;
}

} // namespace minic::tune
