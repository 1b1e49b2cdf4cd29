// SPDX-License-Identifier: Apache-2.0
//
// The whole-model check on a GPU: two plans, by stream and by graph, two
// figures.

#include "test/unit/compiler/tune/model/WholeModelGpuTest.h"

namespace minic::tune {
namespace {

using testing::HasSubstr;

TEST_F(WholeModelGpuTest, OneCallDecidesAlthoughItIsSlowerBackToBack) {
  // An MLP of 256x1024 on an H200.
  WholeModelResult result =
      expectTunedShips(Ships::graph, "one synchronized call decides",
                       {8.31, 9.60, 17.4, 15.4}, {13.5, 14.0, 22.5, 19.0});
  ASSERT_TRUE(result.plans);
  EXPECT_TRUE(result.measured);
  EXPECT_NEAR(result.graph->call.ratio, 15.4 / 17.4, 0.01);
  EXPECT_NEAR(result.graph->backToBack.ratio, 9.60 / 8.31, 0.01);
  EXPECT_EQ(describeLoss(*result.graph), "");
  // The plan is judged in the way that it ships, against default mode's.
  EXPECT_EQ(result.plans->reason, "tuned by graph, default by stream");
  EXPECT_NEAR(result.plans->backToBack.tunedUs, 9.60, 0.1);
  EXPECT_NEAR(result.plans->backToBack.defaultUs, 13.5, 0.1);
  EXPECT_NEAR(result.plans->call.ratio, 15.4 / 22.5, 0.01);
  EXPECT_THAT(describe(*result.graph),
              HasSubstr("graph replay won (one synchronized call decides)"));
  EXPECT_LT(seconds, 0.2);
}

TEST_F(WholeModelGpuTest, ASlowerCallLosesAlthoughItIsFasterBackToBack) {
  WholeModelResult result =
      expectTunedShips(Ships::stream, "one synchronized call decides",
                       {11.31, 9.47, 14.0, 15.0}, {30, 30, 40, 40});
  ASSERT_TRUE(result.plans);
  EXPECT_EQ(result.plans->reason, "tuned by stream, default by stream");
  EXPECT_THAT(describeLoss(*result.graph),
              testing::MatchesRegex(
                  "graph capture lost: one synchronized call \\+7\\.[0-9] %, "
                  "back to back -16\\.[0-9] % against the stream \\(one "
                  "synchronized call decides\\)"));
}

TEST_F(WholeModelGpuTest, BackToBackDecidesWhereCallsAreEqual) {
  expectTunedShips(Ships::graph, "back-to-back time decides", {12, 10, 20, 20},
                   {30, 30, 40, 40});
}

TEST_F(WholeModelGpuTest, ATieIsLaunchedOnTheStream) {
  expectTunedShips(Ships::stream, "neither figure separates them",
                   {385, 385, 400, 400}, {500, 500, 600, 600});
  EXPECT_LT(seconds, 1);
}

TEST_F(WholeModelGpuTest, LessThanAPercentIsATie) {
  expectTunedShips(Ships::stream, "neither figure separates them",
                   {50, 49.8, 60, 59.7}, {70, 70, 80, 80});
}

/// An attention of one launch on an H200, while the host was slow.
static constexpr Times slowlyLaunched = {.stream = 4.74,
                                         .graph = 5.09,
                                         .streamCall = 12.3,
                                         .graphCall = 10.1,
                                         .whenIdle = 4.74,
                                         .whenIdleCall = 10.1,
                                         .device = 3.58};
static constexpr Times byEstimate = {.stream = 4.42,
                                     .graph = 5.1,
                                     .streamCall = 12.3,
                                     .graphCall = 10.3,
                                     .device = 3.83};

TEST_F(WholeModelGpuTest, OfPlansLaunchedAlikeTheDevicesTimeDecides) {
  inputs.launchesNoMore = true;
  // A graph is not launched like a stream, so it is not judged by that.
  WholeModelResult result = expectTunedShips(
      Ships::whenIdle, "replay when idle won: back-to-back time decides",
      slowlyLaunched, byEstimate);
  EXPECT_THAT(result.plans->reason,
              testing::StartsWith("tuned by graph when idle, default by "
                                  "stream, on the device 3.5"));
  ASSERT_EQ(result.ofStreams.size(), 1u);
  EXPECT_TRUE(result.ofStreams[0].tunedShips);
}

TEST_F(WholeModelGpuTest, OfPlansWithMoreLaunchesTheDevicesTimeSaysLittle) {
  EXPECT_FALSE(check(slowlyLaunched, byEstimate).plans->tunedShips);
}

TEST_F(WholeModelGpuTest, OfLongerPlansTheDevicesTimeIsNotMeasured) {
  inputs.launchesNoMore = true;
  EXPECT_EQ(check({50, 49, 60, 59}, {70, 70, 80, 80}).plans->reason,
            "tuned by graph, default by stream");
}

TEST_F(WholeModelGpuTest, AGraphSlowerThanDefaultModeIsRefused) {
  // Better for one call, but default mode's plan is faster back to back.
  WholeModelResult result = expectTunedShips(
      Ships::stream, "graph replay gains too little over default mode",
      {9, 10, 17, 15}, {9.5, 9.5, 18, 18});
  ASSERT_TRUE(result.plans);
  EXPECT_EQ(result.plans->reason, "tuned by stream, default by stream");
  EXPECT_NEAR(result.plans->backToBack.ratio, 9 / 9.5, 0.01);
  EXPECT_THAT(describeLoss(*result.graph),
              testing::EndsWith("(graph replay gains too little over default "
                                "mode); for callers that wait for each call "
                                "there is --cuda-graphs=on"));
}

TEST_F(WholeModelGpuTest, DefaultModeThatReplaysIsBeatenByItsGraph) {
  inputs.defaultReplays = true;
  // Nothing launched would be faster than the default plan's graph.
  WholeModelResult result =
      expectTunedShips(Ships::graph, "one synchronized call decides",
                       {190, 174, 197, 180}, {211, 185, 218, 192});
  ASSERT_TRUE(result.plans);
  EXPECT_EQ(result.plans->reason, "tuned by graph, default by graph");
  EXPECT_NEAR(result.plans->backToBack.ratio, 174. / 185, 0.01);
  // Who asks for streams alone is told of streams.
  ASSERT_EQ(result.ofStreams.size(), 1u);
  EXPECT_EQ(result.ofStreams[0].reason, "tuned by stream, default by stream");
  EXPECT_NEAR(result.ofStreams[0].backToBack.ratio, 190. / 211, 0.01);
}

TEST_F(WholeModelGpuTest, APlanSlowerThanTheDefaultGraphDoesNotShip) {
  inputs.defaultReplays = true;
  WholeModelResult result = check({200, 190, 207, 197}, {211, 185, 218, 192});
  EXPECT_FALSE(result.plans->tunedShips);
  // The default plan's own graph does.
  EXPECT_TRUE(result.graph->tunedShips);
  EXPECT_TRUE(result.ofStreams[0].tunedShips);
}

TEST_F(WholeModelGpuTest, ADefaultGraphThatIsRefusedIsLaunched) {
  inputs.defaultReplays = true;
  WholeModelResult result = check({190, 174, 197, 180}, {211, -1, 218, -1});
  EXPECT_EQ(result.plans->reason, "tuned by graph, default by stream");
}

TEST_F(WholeModelGpuTest, LessThanTwoPercentShipTheDefaultPlan) {
  // A faster call, too, since default mode's callers may not wait.
  WholeModelResult result = check({98.5, 98.6, 105, 103}, {100, 100, 110, 108});
  EXPECT_FALSE(result.plans->tunedShips);
  EXPECT_FALSE(result.graph->tunedShips);
  inputs.retune = true;
  result = check({97.5, 97.6, 105, 103}, {100, 100, 110, 108});
  EXPECT_TRUE(result.plans->tunedShips);
  EXPECT_TRUE(result.graph->tunedShips);
}

TEST_F(WholeModelGpuTest, TheGraphOfTheDefaultPlanIsGuardedAlike) {
  WholeModelResult result = check({9, 10, 17, 15});
  EXPECT_FALSE(result.plans);
  EXPECT_FALSE(result.graph->tunedShips);
  EXPECT_EQ(result.graph->reason,
            "graph replay gains too little over default mode");
  inputs.retune = true;
  EXPECT_TRUE(check({10, 9.7, 17, 15}).graph->tunedShips);
}

TEST_F(WholeModelGpuTest, AGraphAsFastAsDefaultModeIsRefused) {
  // Which of them is slower shows only in a longer measurement.
  EXPECT_FALSE(check({10, 10, 17, 15}).graph->tunedShips);
  inputs.retune = true;
  WholeModelResult result = check({10, 10, 17, 15}, {10, 10, 18, 18});
  EXPECT_FALSE(result.graph->tunedShips);
}

TEST_F(WholeModelGpuTest, AStreamSlowerThanDefaultModeIsRefused) {
  // By calls the stream wins, but only the graph is as fast as default mode.
  expectTunedShips(Ships::graph,
                   "launching on a stream gains too little over default mode",
                   {10, 9, 15, 16}, {9.5, 9.5, 18, 18});
}

TEST_F(WholeModelGpuTest, TheDefaultPlanShipsInItsOwnWay) {
  WholeModelResult result = check({30, 20, 35, 25}, {18, 17, 28, 24});
  ASSERT_TRUE(result.plans && result.graph);
  EXPECT_FALSE(result.plans->tunedShips);
  EXPECT_TRUE(result.graph->tunedShips);
  // Of what ships.
  EXPECT_NEAR(result.graph->backToBack.tunedUs, 17, 0.3);
  EXPECT_NEAR(result.graph->call.defaultUs, 28, 0.5);
  EXPECT_LT(seconds, 1);
}

TEST_F(WholeModelGpuTest, ATunedPlanWithASlowerCallDoesNotShip) {
  WholeModelResult result = check({9, -1, 25, 25}, {10, 10, 20, 20});
  EXPECT_FALSE(result.plans->tunedShips);
  EXPECT_GT(result.plans->call.ratioLow, 1);
  // The refusal was the tuned plan's.
  ASSERT_TRUE(result.graph);
  EXPECT_FALSE(result.graph->isRefused());
}

TEST_F(WholeModelGpuTest, VerdictsAreMeasuredOnce) {
  Times fast{8, 9, 17, 15}, slow{13, 14, 22, 19};
  check(fast, slow);
  WholeModelResult again = check(slow, fast);
  EXPECT_FALSE(again.measured);
  EXPECT_TRUE(again.plans->tunedShips);
  EXPECT_TRUE(again.graph->tunedShips);
  EXPECT_NEAR(again.graph->call.tunedUs, 15, 0.3);
  inputs.retune = true;
  again = check(slow, fast);
  EXPECT_TRUE(again.measured);
  EXPECT_FALSE(again.plans->tunedShips);
}

TEST_F(WholeModelGpuTest, TheClocksOfItsRoundsAreKept) {
  machine.smClocksMHz = {1755, 1980, 1545};
  Times tuned{8, 9, 17, 15}, byDefault{13, 14, 22, 19};
  check(tuned, byDefault);
  WholeModelResult again = check(tuned, byDefault);
  EXPECT_FALSE(again.measured);
  EXPECT_THAT(describe(*again.plans),
              testing::EndsWith("(tuned by graph, default by stream); SM clock "
                                "1545 to 1980 MHz"));
  EXPECT_EQ(again.graph->clock.lowMHz, 1545);
}

TEST_F(WholeModelGpuTest, ARefusedCaptureIsSaidAndNotTriedAgain) {
  Times plan{30, -1, 40, -1};
  WholeModelResult result = check(plan);
  EXPECT_FALSE(result.plans);
  ASSERT_TRUE(result.graph);
  EXPECT_FALSE(result.graph->tunedShips);
  std::string refusal = "graph capture refused: a call cannot be captured";
  EXPECT_EQ(describe(*result.graph), refusal);
  EXPECT_EQ(describeLoss(*result.graph), refusal);
  result = check(plan);
  EXPECT_FALSE(result.measured);
  EXPECT_EQ(describe(*result.graph), refusal);
  // Where only a graph was asked for there is nothing to ship.
  inputs.streams = false;
  inputs.retune = true;
  absl::Status status =
      checkWholeModel(inputs, *db, worker, machine.clock).status();
  EXPECT_EQ(status.message(), "whole-model check: " + refusal);
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
}

TEST_F(WholeModelGpuTest, APlanThatCannotBeRunShipsTheOther) {
  Times works{30, 20, 40, 30};
  lacking = "default";
  WholeModelResult result = check(works, works);
  EXPECT_FALSE(result.plans);
  EXPECT_FALSE(result.isTunedLost);
  EXPECT_EQ(result.failure, "whole-model check, default: out of device memory");
  ASSERT_TRUE(result.graph);
  EXPECT_NEAR(result.graph->backToBack.tunedUs, 20, 0.3);
  // It is tried again: memory may be free by then.
  lacking = "tuned";
  result = check(works, works);
  EXPECT_TRUE(result.isTunedLost);
  EXPECT_EQ(result.failure, "whole-model check, tuned: out of device memory");
  machine.candidates["default"].outOfMemory = true;
  absl::Status status =
      checkWholeModel(inputs, *db, worker, machine.clock).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
}

TEST_F(WholeModelGpuTest, AWayThatWasOrderedIsNotQuestioned) {
  inputs.streams = false;
  WholeModelResult result = check({8, 9, 15, 17}, {9, 10, 16, 18});
  EXPECT_FALSE(result.graph);
  EXPECT_TRUE(result.plans->tunedShips);
  EXPECT_EQ(result.plans->reason, "tuned by graph, default by graph");
}

TEST_F(WholeModelGpuTest, NoisyCallsEndWithTheTime) {
  inputs.rounds.indifference = 1e-6;
  check({50, 50, 60, 60}, {50, 50, 60, 60});
  EXPECT_LT(seconds, 2.5);
}

} // namespace
} // namespace minic::tune
