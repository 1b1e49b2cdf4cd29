// SPDX-License-Identifier: Apache-2.0
//
// The union of work that overlaps, medians, and what a plan says of itself.

#include "runtime/measure/TracedRuns.h"

#include "test/unit/runtime/testing/TestArtifact.h"

#include <gmock/gmock.h>

namespace minic::runtime {
namespace {

using namespace ::minic::testing;
using ::testing::ElementsAre;

TEST(TracedRunsTest, busyIsTheUnionOfWorkAndWhatEndsLaterAdds) {
  RunTrace trace;
  trace.spanUs = 20;
  // Overlapping, one inside the other, and one apart that ends in a gap.
  trace.commands = {{0, 1, 4, 0, {}},
                    {1, 3, 6, 0, {}},
                    {2, 4, 5, 0, {}},
                    {3, 10, 19, 0, {{11, 13}, {12, 15}}}};
  EXPECT_DOUBLE_EQ(busyUs(trace), 5 + 4);
  EXPECT_DOUBLE_EQ(workOf(trace.commands[3]).beginUs, 11);
  EXPECT_DOUBLE_EQ(workOf(trace.commands[3]).endUs, 15);
  EXPECT_DOUBLE_EQ(busyUs(RunTrace()), 0);
  // The second one ends after the third.
  EXPECT_THAT(addedUs(trace), ElementsAre(4, 1, 1, 13));
  EXPECT_THAT(addedUs(RunTrace()), ElementsAre());
}

TEST(TracedRunsTest, countsNotTheFirstRunAndTakesMedians) {
  int runs = 0;
  auto run = [&]() -> absl::StatusOr<RunTrace> {
    // Of 100, 3, 1, 2 us.
    double us = std::vector<double>{100, 3, 1, 2}[runs++];
    RunTrace trace;
    trace.spanUs = us;
    trace.commands = {{7, 0, us, 0, {}}};
    return trace;
  };
  absl::StatusOr<TracedRuns> traced = traceRuns(run, 3);
  ASSERT_TRUE(traced.ok()) << traced.status();
  EXPECT_EQ(runs, 4);
  EXPECT_THAT(traced->spansUs, ElementsAre(3, 1, 2));
  EXPECT_DOUBLE_EQ(traced->typical.spanUs, 2);
  EXPECT_THAT(traced->medianUs, ElementsAre(2));
  auto fail = [] {
    return absl::StatusOr<RunTrace>(absl::CancelledError("no"));
  };
  EXPECT_EQ(traceRuns(fail, 3).status().message(), "no");
}

TEST(TracedRunsTest, describesThePlan) {
  TestArtifact artifact = scaleArtifact(8);
  artifact.variant().run[0]->label = "relu(8) f32";
  artifact.fill(outputAddress(0), 0, 4);
  auto program = Program::loadBytes(artifact.bytes(), {});
  ASSERT_TRUE(program.ok()) << program.status();
  std::vector<PlanCommand> commands = describeCommands(**program);
  ASSERT_EQ(commands.size(), 2u);
  EXPECT_EQ(commands[0].kind, "launch");
  EXPECT_EQ(commands[0].name, "scale_f32");
  EXPECT_EQ(commands[0].label, "relu(8) f32");
  EXPECT_EQ(commands[1].kind, "fill");
  EXPECT_EQ(commands[1].label, "");
}

} // namespace
} // namespace minic::runtime
