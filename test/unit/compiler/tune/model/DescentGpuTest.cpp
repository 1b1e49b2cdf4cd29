// SPDX-License-Identifier: Apache-2.0
//
// Descents on a GPU: in the captured graph, by two figures.

#include "test/unit/compiler/tune/model/DescentTest.h"

namespace minic::tune {
namespace {

class DescentGpuTest : public DescentTest {
protected:
  DescentGpuTest() {
    inputs.model.onGpu = true;
    inputs.model.graphs = true;
    inputs.model.roundUs = 1000;
    inputs.model.rounds.maxRounds = 200;
    addProblem(2);
  }
  /// Both plans: by stream and by graph, back to back; calls of the graph.
  void setTimes(const std::string &plan, double stream, double graph,
                double graphCall, double device = 1) {
    machine.candidates[plan] = {.us = device,
                                .noise = 0.003,
                                .streamUs = stream,
                                .graphUs = graph,
                                .streamCallUs = stream + 8,
                                .graphCallUs = graphCall};
  }
};

TEST_F(DescentGpuTest, TimesReplaysOfTheCapturedGraph) {
  setTimes("a", 80, 100, 110);
  setTimes("b", 90, 95, 105); // slower by stream
  DescentResult result = descendTo("b");
  EXPECT_NEAR(result.verdict.backToBack.ratio, 0.95, 0.005);
  EXPECT_NEAR(result.verdict.call.ratio, 105.0 / 110, 0.005);
  EXPECT_EQ(result.verdict.reason, "timed by graph");
  EXPECT_FALSE(result.verdict.isProvisional);
}

TEST_F(DescentGpuTest, TakesNoGainThatTheOtherFigurePaysFor) {
  setTimes("a", 80, 100, 110);
  setTimes("b", 70, 95, 115);
  descendTo("a");
  inputs.model.retune = true;
  setTimes("b", 70, 105, 100);
  descendTo("a");
}

TEST_F(DescentGpuTest, OneFigureIsEnough) {
  setTimes("a", 80, 100, 110);
  setTimes("b", 80, 100, 100);
  DescentResult result = descendTo("b");
  EXPECT_THAT(describeGain(result.verdict.trials[0]),
              testing::StartsWith("9."));
}

TEST_F(DescentGpuTest, LaunchesWhereNoGraphIsCapturedOrAskedFor) {
  setTimes("a", 100, -1, 0);
  setTimes("b", 90, -1, 0);
  DescentResult result = descendTo("b");
  EXPECT_EQ(result.verdict.reason, "timed by stream");
  setTimes("a", 100, 50, 60);
  setTimes("b", 90, 60, 70);
  inputs.model.graphs = false;
  inputs.model.planKey = "another";
  EXPECT_EQ(descendTo("b").verdict.reason, "timed by stream");
}

TEST_F(DescentGpuTest, OfShortRunsTheDevicesTimeDecides) {
  // The MLP of 256x1024 on an H200, whose replays take the host 8 us.
  setTimes("a", 6.6, 8.2, 13.1, 6.22);
  setTimes("b", 6.2, 8.3, 13.1, 5.73);
  DescentResult result = descendTo("b");
  EXPECT_NEAR(result.verdict.backToBack.ratio, 5.73 / 6.22, 0.005);
  EXPECT_EQ(result.verdict.reason, "timed by graph, short runs on the device");
  inputs.model.retune = true;
  setTimes("b", 6.2, 7.5, 13.1, 6.22);
  descendTo("a");
}

TEST_F(DescentGpuTest, ShortRunsWithLongerCallsAreNotTaken) {
  setTimes("a", 6.6, 8.2, 13.1, 6.22);
  setTimes("b", 6.2, 8.2, 13.9, 5.73);
  descendTo("a");
}

TEST_F(DescentGpuTest, ATrialThatCannotBeCapturedIsRefused) {
  setTimes("a", 100, 100, 110);
  setTimes("b", 50, -1, 0);
  DescentResult result = descendTo("a");
  EXPECT_THAT(result.verdict.trials[0].refusal,
              testing::HasSubstr("graph capture refused"));
}

TEST_F(DescentGpuTest, OneVerdictAnswersForAllWaysOfRunning) {
  setTimes("a", 80, 100, 110);
  setTimes("b", 80, 90, 100);
  descendTo("b");
  for (bool streams : {true, false}) {
    for (bool graphs : {true, false}) {
      inputs.model.streams = streams;
      inputs.model.graphs = graphs;
      EXPECT_TRUE(find());
    }
  }
}

} // namespace
} // namespace minic::tune
