// SPDX-License-Identifier: Apache-2.0
//
// Replaying a graph when the stream is idle, beside always and never.

#include "test/unit/compiler/tune/model/WholeModelGpuTest.h"

namespace minic::tune {
namespace {

using WhenIdlePlanTest = WholeModelGpuTest;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

constexpr const char *byCall = "one synchronized call decides";
constexpr const char *tooLittle =
    "replay when idle gains too little over default mode";

// A bf16 MLP on an H200: a replay shortens a call, and costs throughput.
constexpr Times mlp{8.08, 9.25, 15.7, 14.0, 8.08, 14.0};

TEST_F(WhenIdlePlanTest, ShipsInPlaceOfThePlansOwnLaunches) {
  WholeModelResult result = check(mlp);
  ASSERT_TRUE(result.graph && result.whenIdle);
  EXPECT_FALSE(result.graph->tunedShips);
  EXPECT_EQ(result.graph->reason,
            "replay when idle won: back-to-back time decides");
  EXPECT_TRUE(result.whenIdle->tunedShips);
  EXPECT_EQ(result.whenIdle->reason, byCall);
  // Each against the stream.
  EXPECT_NEAR(result.graph->backToBack.ratio, 9.25 / 8.08, 0.01);
  EXPECT_NEAR(result.whenIdle->backToBack.ratio, 1, 0.01);
  EXPECT_NEAR(result.whenIdle->call.ratio, 14.0 / 15.7, 0.01);
  EXPECT_NEAR(result.whenIdle->call.defaultUs, 15.7, 0.2);
  EXPECT_THAT(describe(*result.graph), StartsWith("graph replay 9.2"));
  EXPECT_THAT(describe(*result.graph),
              EndsWith(": graph replay lost (replay when idle won: "
                       "back-to-back time decides)"));
  EXPECT_THAT(describe(*result.whenIdle), StartsWith("replay when idle 8.1"));
  EXPECT_THAT(describe(*result.whenIdle),
              EndsWith(": replay when idle won (one synchronized call "
                       "decides)"));
}

TEST_F(WhenIdlePlanTest, IsTimedWithAnEstimateFromTheOtherWays) {
  check(mlp);
  EXPECT_NEAR(machine.candidates["tuned"].runUs, (9.25 + 14.0) / 2, 0.3);
}

TEST_F(WhenIdlePlanTest, IsAWayOfATunedPlan) {
  WholeModelResult result = expectTunedShips(
      Ships::whenIdle, "replay when idle won: back-to-back time decides", mlp,
      {14.3, 15, 22.8, 20});
  ASSERT_TRUE(result.plans);
  EXPECT_EQ(result.plans->reason, "tuned by graph when idle, default by "
                                  "stream");
  EXPECT_NEAR(result.plans->backToBack.tunedUs, 8.1, 0.1);
  EXPECT_NEAR(result.plans->call.tunedUs, 14.0, 0.2);
}

TEST_F(WhenIdlePlanTest, AGraphThatIsAsGoodInBothIsSimpler) {
  WholeModelResult result = check({10, 9, 17, 15, 9, 15});
  EXPECT_TRUE(result.graph->tunedShips);
  EXPECT_EQ(result.graph->reason, byCall);
  EXPECT_FALSE(result.whenIdle->tunedShips);
  EXPECT_THAT(describe(*result.whenIdle),
              EndsWith(": replay when idle lost (graph replay won: neither "
                       "figure separates them)"));
}

TEST_F(WhenIdlePlanTest, AGraphThatGainsTooLittleLeavesItTheCalls) {
  // Back to back all are as fast: a graph alone would not ship.
  WholeModelResult result = check({10, 10, 17, 15, 10, 15});
  EXPECT_FALSE(result.graph->tunedShips);
  EXPECT_EQ(result.graph->reason,
            "graph replay gains too little over default mode");
  EXPECT_TRUE(result.whenIdle->tunedShips);
}

TEST_F(WhenIdlePlanTest, AStreamWinsWhereNothingIsGained) {
  WholeModelResult result = check({10, 10.5, 15, 15, 10, 15});
  EXPECT_FALSE(result.graph->tunedShips);
  EXPECT_FALSE(result.whenIdle->tunedShips);
  EXPECT_EQ(result.whenIdle->reason, "neither figure separates them");
}

TEST_F(WhenIdlePlanTest, ACallHasToGainTwoPercent) {
  Times plan{100, 105, 120, 118.2, 100, 118.2};
  WholeModelResult result = check(plan);
  EXPECT_FALSE(result.whenIdle->tunedShips);
  EXPECT_EQ(result.whenIdle->reason, tooLittle);
  // Who waits for each call may still know better.
  EXPECT_THAT(describeLoss(*result.graph), HasSubstr("--cuda-graphs=on"));
}

TEST_F(WhenIdlePlanTest, BackToBackTimeMustNotGrow) {
  // An estimate that is wrong for this plan.
  WholeModelResult result = check({10, 11, 17, 15, 10.4, 15});
  EXPECT_FALSE(result.graph->tunedShips);
  EXPECT_FALSE(result.whenIdle->tunedShips);
  EXPECT_EQ(result.whenIdle->reason, tooLittle);
}

TEST_F(WhenIdlePlanTest, ATunedPlanHasToBeFasterBackToBack) {
  // So the default plan ships, in the way that is best for it.
  WholeModelResult result =
      check({99, 104, 110, 100, 99, 100}, {100, 105, 111, 101, 100, 101});
  ASSERT_TRUE(result.plans);
  EXPECT_FALSE(result.plans->tunedShips);
  EXPECT_TRUE(result.whenIdle->tunedShips);
  EXPECT_NEAR(result.whenIdle->call.defaultUs, 111, 1);
}

TEST_F(WhenIdlePlanTest, ItsVerdictIsKept) {
  check(mlp);
  WholeModelResult again = check({8, 8, 14, 14, 8, 14});
  EXPECT_FALSE(again.measured);
  ASSERT_TRUE(again.whenIdle);
  EXPECT_TRUE(again.whenIdle->isOfWhenIdle());
  EXPECT_FALSE(again.whenIdle->isOfGraph());
  EXPECT_TRUE(again.whenIdle->tunedShips);
  EXPECT_NEAR(again.whenIdle->call.tunedUs, 14.0, 0.2);
}

/// Of so many microseconds, alike in all ways.
Times longRuns(double us) { return {us, us, us, us, us, us}; }

TEST_F(WhenIdlePlanTest, IsLeftOutWhereRoundsWouldNotSuffice) {
  // Seven contestants, two figures, an untimed run before each and one of them
  // twice are 30 runs: of 9 ms there is no time for six rounds in 1.5 s.
  generated = longRuns(9100);
  WholeModelResult result = check(longRuns(9000), longRuns(10000));
  EXPECT_TRUE(result.generated->backToBack.hasInterval());
  EXPECT_TRUE(result.plans->call.hasInterval());
  EXPECT_TRUE(result.graph->call.hasInterval());
  ASSERT_TRUE(result.whenIdle);
  EXPECT_FALSE(result.whenIdle->tunedShips);
  EXPECT_EQ(describe(*result.whenIdle),
            "replay when idle left out: there was time for 5 rounds with it, "
            "an interval needs 6");
  for (const char *plan : {"tuned", "generated"}) {
    EXPECT_EQ(machine.candidates[plan].runUs, 0);
  }
  // To find that out took few runs.
  EXPECT_LT(seconds, 2);
  // Kept like any other verdict.
  result = check(longRuns(9000), longRuns(10000));
  EXPECT_FALSE(result.measured);
  ASSERT_TRUE(result.whenIdle);
  EXPECT_TRUE(result.whenIdle->isRefused());
}

TEST_F(WhenIdlePlanTest, TakesPartWhereRoundsSuffice) {
  // With the default plan, which has one way, 8 ms leave six rounds.
  generated = longRuns(7700);
  WholeModelResult result = check(longRuns(7600), longRuns(8300));
  ASSERT_TRUE(result.whenIdle);
  EXPECT_TRUE(result.whenIdle->call.hasInterval());
  // So do 9 ms without a third plan.
  generated.reset();
  inputs.retune = true;
  result = check(longRuns(9000), longRuns(10000));
  EXPECT_TRUE(result.whenIdle->call.hasInterval());
}

TEST_F(WhenIdlePlanTest, TheDefaultPlansRoundsAreCountedByThemselves) {
  // It loses, so that its ways are timed alone, in half the time.
  WholeModelResult result = check(longRuns(10000), longRuns(9000));
  EXPECT_FALSE(result.plans->tunedShips);
  EXPECT_GT(machine.candidates["tuned"].runUs, 0);
  EXPECT_EQ(machine.candidates["default"].runUs, 0);
  EXPECT_TRUE(result.whenIdle->isRefused());
  EXPECT_TRUE(result.graph->backToBack.hasInterval());
}

TEST_F(WhenIdlePlanTest, NeedsAGraph) {
  WholeModelResult result = check({30, -1, 40, -1});
  EXPECT_TRUE(result.graph->isRefused());
  EXPECT_FALSE(result.whenIdle);
}

} // namespace
} // namespace minic::tune
