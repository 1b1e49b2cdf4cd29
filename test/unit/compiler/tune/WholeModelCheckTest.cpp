// SPDX-License-Identifier: Apache-2.0

#include "compiler/tune/WholeModelCheck.h"
#include "test/unit/compiler/tune/Fakes.h"

#include "gmock/gmock.h"

namespace minic::tune {
namespace {

class WholeModelCheckTest : public testing::Test {
protected:
  Verdict check(double tunedUs, double defaultUs, double noise = 0.005) {
    machine.candidates["tuned"] = {tunedUs, noise};
    machine.candidates["default"] = {defaultUs, noise};
    std::ofstream(folder / "tuned") << "tuned";
    std::ofstream(folder / "default") << "default";
    inputs.tunedPath = folder / "tuned";
    inputs.defaultPath = folder / "default";
    inputs.planKey = "plan";
    inputs.device = "cpu";
    auto result = checkWholeModel(inputs, *db, worker, machine.clock);
    EXPECT_TRUE(result.ok()) << result.status();
    measured = result.ok() && result->measured;
    return result.ok() && result->plans ? *result->plans : Verdict();
  }

  TempFolder folder;
  FakeMachine machine;
  FakeWorker worker{machine};
  std::unique_ptr<TuningDb> db = folder.openDb();
  WholeModelInputs inputs;
  bool measured = false;
};

TEST_F(WholeModelCheckTest, TheFasterShips) {
  machine.driftPerRound = 0.02;
  Verdict verdict = check(90, 100);
  EXPECT_TRUE(verdict.tunedShips);
  EXPECT_NEAR(verdict.ratio, 0.9, 0.01);
  inputs.retune = true;
  verdict = check(110, 100);
  EXPECT_FALSE(verdict.tunedShips);
  EXPECT_GT(verdict.ratioLow, 1);
}

TEST_F(WholeModelCheckTest, EqualOnesShipTuned) {
  EXPECT_TRUE(check(100, 100, /*noise=*/0).tunedShips);
}

TEST_F(WholeModelCheckTest, WhatIsEstimatedSlowerNeverShips) {
  // Whatever the interval: here it holds 1 in both cases.
  inputs.rounds.maxRounds = 12;
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    machine.random.seed(seed);
    inputs.retune = true;
    Verdict verdict = check(100, 100, /*noise=*/0.01);
    EXPECT_EQ(verdict.tunedShips, verdict.ratio <= 1) << verdict.ratio;
  }
  EXPECT_FALSE(check(100.01, 100, /*noise=*/0).tunedShips);
}

TEST_F(WholeModelCheckTest, RoundsGoOnUntilTheIntervalIsNarrow) {
  Verdict verdict = check(100, 100, /*noise=*/0.02);
  ASSERT_TRUE(verdict.hasInterval());
  bool decided = verdict.ratioLow > 1 || verdict.ratioHigh < 1;
  EXPECT_TRUE(decided ||
              verdict.ratioHigh - verdict.ratioLow <= 0.0201 * verdict.ratio)
      << describe(verdict);
}

TEST_F(WholeModelCheckTest, RoundsEndWithTheTime) {
  // Too noisy to be narrow in the time there is.
  inputs.rounds.maxSeconds = 0.1;
  double start = machine.clock.now();
  check(100, 100, /*noise=*/0.03);
  EXPECT_LT(machine.clock.now() - start, 0.2);
}

TEST_F(WholeModelCheckTest, TooFewRoundsHaveNoInterval) {
  inputs.rounds.maxRounds = 3;
  Verdict verdict = check(90, 100, /*noise=*/0);
  EXPECT_FALSE(verdict.hasInterval());
  EXPECT_TRUE(verdict.tunedShips);
  EXPECT_EQ(describe(verdict), "tuned 90.00 us, default 100.00 us, ratio 0.900 "
                               "(too few rounds for an interval): tuned ships");
  // Also where the database tells it.
  verdict = check(90, 100);
  EXPECT_FALSE(measured);
  EXPECT_FALSE(verdict.hasInterval());
}

TEST_F(WholeModelCheckTest, AnIntervalIsPrinted) {
  Verdict verdict;
  verdict.tunedUs = 11, verdict.defaultUs = 10;
  verdict.ratio = 1.1, verdict.ratioLow = 1.05, verdict.ratioHigh = 1.2;
  verdict.tunedShips = false;
  EXPECT_EQ(describe(verdict), "tuned 11.00 us, default 10.00 us, ratio 1.100 "
                               "[1.050, 1.200]: default ships");
}

TEST_F(WholeModelCheckTest, AVerdictIsMeasuredOnce) {
  check(90, 100);
  EXPECT_TRUE(measured);
  Verdict again = check(500, 100);
  EXPECT_FALSE(measured);
  EXPECT_TRUE(again.tunedShips);
  inputs.versions.codegen = "2";
  EXPECT_FALSE(check(500, 100).tunedShips);
}

/// Figures of both plans by stream and by graph.
class GpuModelCheckTest : public WholeModelCheckTest {
protected:
  WholeModelResult checkGpu(FakeCandidate tuned, FakeCandidate byDefault) {
    tuned.noise = byDefault.noise = 0.005;
    machine.candidates["tuned"] = tuned;
    machine.candidates["default"] = byDefault;
    std::ofstream(folder / "tuned") << "tuned";
    std::ofstream(folder / "default") << "default";
    inputs.tunedPath = folder / "tuned";
    inputs.defaultPath = folder / "default";
    inputs.planKey = "plan";
    inputs.device = "cuda";
    inputs.onGpu = true;
    inputs.graphs = true;
    auto result = checkWholeModel(inputs, *db, worker, machine.clock);
    EXPECT_TRUE(result.ok()) << result.status();
    EXPECT_TRUE(worker.loaded.empty());
    return result.ok() ? *result : WholeModelResult();
  }
};

TEST_F(GpuModelCheckTest, TheFasterWayShips) {
  WholeModelResult result = checkGpu({.streamUs = 30, .graphUs = 12},
                                     {.streamUs = 33, .graphUs = 15});
  ASSERT_TRUE(result.plans && result.graph);
  EXPECT_TRUE(result.measured);
  EXPECT_TRUE(result.plans->tunedShips);
  EXPECT_NEAR(result.plans->tunedUs, 12, 0.2);
  EXPECT_NEAR(result.plans->defaultUs, 15, 0.2);
  EXPECT_TRUE(result.graph->tunedShips);
  EXPECT_NEAR(result.graph->ratio, 0.4, 0.01);
  EXPECT_THAT(describe(*result.graph), testing::HasSubstr("graph replay won"));
  EXPECT_THAT(result.graph->description,
              testing::HasSubstr("one synchronized call"));
  // Both verdicts are found again.
  result = checkGpu({.streamUs = 1, .graphUs = 900}, {.streamUs = 1});
  EXPECT_FALSE(result.measured);
  EXPECT_TRUE(result.graph->tunedShips);
}

TEST_F(GpuModelCheckTest, AGraphThatLosesIsNotReplayed) {
  WholeModelResult result = checkGpu({.streamUs = 300, .graphUs = 309},
                                     {.streamUs = 310, .graphUs = 320});
  ASSERT_TRUE(result.plans && result.graph);
  EXPECT_TRUE(result.plans->tunedShips);
  EXPECT_FALSE(result.graph->tunedShips);
  EXPECT_THAT(describe(*result.graph),
              testing::HasSubstr("stream launches won"));
}

TEST_F(GpuModelCheckTest, TheDefaultPlanMayWinWithItsOwnWay) {
  WholeModelResult result = checkGpu({.streamUs = 30, .graphUs = 20},
                                     {.streamUs = 18, .graphUs = 19});
  ASSERT_TRUE(result.plans && result.graph);
  EXPECT_FALSE(result.plans->tunedShips);
  // Of what ships.
  EXPECT_NEAR(result.graph->tunedUs, 19, 0.3);
  EXPECT_FALSE(result.graph->tunedShips);
}

TEST_F(GpuModelCheckTest, ARefusedCaptureIsSaidAndNotTriedAgain) {
  FakeCandidate plan{.streamUs = 30, .graphUs = -1};
  inputs.plansDiffer = false;
  WholeModelResult result = checkGpu(plan, plan);
  EXPECT_FALSE(result.plans);
  ASSERT_TRUE(result.graph);
  EXPECT_FALSE(result.graph->tunedShips);
  EXPECT_EQ(describe(*result.graph),
            "graph capture refused: a call cannot be captured");
  EXPECT_FALSE(checkGpu(plan, plan).measured);
  // Where only a graph was asked for there is nothing to ship.
  inputs.streams = false;
  inputs.retune = true;
  EXPECT_FALSE(checkWholeModel(inputs, *db, worker, machine.clock).ok());
}

TEST_F(GpuModelCheckTest, APlanThatCannotBeRunShipsTheOther) {
  FakeCandidate works{.streamUs = 30, .graphUs = 20};
  FakeCandidate lacks{.outOfMemory = true};
  WholeModelResult result = checkGpu(works, lacks);
  EXPECT_FALSE(result.plans);
  EXPECT_FALSE(result.isTunedLost);
  EXPECT_EQ(result.failure, "whole-model check, default: out of device memory");
  ASSERT_TRUE(result.graph);
  EXPECT_NEAR(result.graph->tunedUs, 20, 0.3);
  // It is tried again: memory may be free by then.
  result = checkGpu(lacks, works);
  EXPECT_TRUE(result.isTunedLost);
  EXPECT_EQ(result.failure, "whole-model check, tuned: out of device memory");
  machine.candidates["default"] = lacks;
  absl::Status status =
      checkWholeModel(inputs, *db, worker, machine.clock).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
}

TEST_F(WholeModelCheckTest, AMissingArtifactIsAnError) {
  inputs.tunedPath = inputs.defaultPath = "/nowhere";
  auto verdict = checkWholeModel(inputs, *db, worker, machine.clock);
  EXPECT_EQ(verdict.status().code(), absl::StatusCode::kInternal);
}

} // namespace
} // namespace minic::tune
