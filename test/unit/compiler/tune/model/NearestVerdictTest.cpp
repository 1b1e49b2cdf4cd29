// SPDX-License-Identifier: Apache-2.0
//
// What a whole-model check says of ways of running that were not asked for, to
// who measures nothing.

#include "compiler/tune/model/WholeModelVerdicts.h"
#include "test/unit/compiler/tune/model/WholeModelGpuTest.h"

namespace minic::tune {
namespace {

class NearestVerdictTest : public WholeModelGpuTest {
protected:
  std::optional<WholeModelResult> find(bool streams, bool graphs) {
    inputs.streams = streams;
    inputs.graphs = graphs;
    auto found = findNearestWholeModel(inputs, *db);
    EXPECT_TRUE(found.ok()) << found.status();
    return found.ok() ? *found : std::nullopt;
  }
  void measure(bool streams, bool graphs, Times tuned, Times byDefault) {
    inputs.streams = streams;
    inputs.graphs = graphs;
    EXPECT_TRUE(check(tuned, byDefault).measured);
  }
};

// Only its graph is faster than the default plan on a stream.
constexpr Times byGraph{10, 8, 18, 15};
constexpr Times byDefault{9, 9, 17, 17};

TEST_F(NearestVerdictTest, RoundsWithGraphsAnswerForStreamsAlone) {
  measure(true, true, byGraph, byDefault);
  std::optional<WholeModelResult> found = find(true, false);
  ASSERT_TRUE(found && found->plans);
  EXPECT_FALSE(found->plans->tunedShips);
  EXPECT_EQ(found->plans->reason, "tuned by stream, default by stream");
  EXPECT_NEAR(found->plans->backToBack.ratio, 10.0 / 9, 0.01);
  EXPECT_TRUE(found->plans->backToBack.hasInterval());
  EXPECT_FALSE(found->graph);
  // Who may measure has nothing to measure either.
  EXPECT_FALSE(check(byGraph, byDefault).measured);
  found = find(true, true);
  ASSERT_TRUE(found && found->plans && found->graph);
  EXPECT_TRUE(found->plans->tunedShips);
}

TEST_F(NearestVerdictTest, OfTwoTunedPlansStreamsMayHaveTheOther) {
  // By graph the generated kernels are better, by stream the libraries.
  generated = Times{8.2, 7, 16, 12};
  measure(true, true, {7.5, 8, 15, 14}, byDefault);
  std::optional<WholeModelResult> found = find(true, true);
  ASSERT_TRUE(found && found->generated);
  EXPECT_TRUE(found->generated->tunedShips);
  found = find(true, false);
  ASSERT_TRUE(found && found->generated && found->plans);
  EXPECT_FALSE(found->generated->tunedShips);
  EXPECT_TRUE(found->plans->tunedShips);
  EXPECT_NEAR(found->plans->backToBack.tunedUs, 7.5, 0.1);
}

TEST_F(NearestVerdictTest, GraphsAloneTakeThePlanThatWonInEitherWay) {
  measure(true, true, byGraph, byDefault);
  std::optional<WholeModelResult> found = find(false, true);
  ASSERT_TRUE(found && found->plans);
  EXPECT_TRUE(found->plans->tunedShips);
  EXPECT_FALSE(found->graph); // a graph was ordered
  // What was measured as it is asked for comes first.
  measure(false, true, byGraph, {7, 7, 10, 10});
  EXPECT_FALSE(find(false, true)->plans->tunedShips);
}

TEST_F(NearestVerdictTest, StreamsSayWhichPlanAndNothingOfItsGraph) {
  measure(true, false, {8, 8, 16, 16}, byDefault);
  for (bool streams : {true, false}) {
    std::optional<WholeModelResult> found = find(streams, true);
    ASSERT_TRUE(found && found->plans);
    EXPECT_TRUE(found->plans->tunedShips);
    EXPECT_FALSE(found->graph);
  }
}

TEST_F(NearestVerdictTest, NobodyGuesses) {
  measure(true, false, {8, 8, 16, 16}, byDefault);
  inputs.planKey = "another plan";
  EXPECT_FALSE(find(true, true));
  inputs.planKey = "plan";
  inputs.device = "another device";
  EXPECT_FALSE(find(true, true));
  // Where the plans are the same only the graph is in question.
  inputs.device = "cuda";
  inputs.plansDiffer = false;
  EXPECT_FALSE(find(true, true));
}

} // namespace
} // namespace minic::tune
