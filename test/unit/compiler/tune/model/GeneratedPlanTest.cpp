// SPDX-License-Identifier: Apache-2.0
//
// The plan of generated kernels alone beside the one of the fastest candidates.

#include "test/unit/compiler/tune/model/WholeModelGpuTest.h"

namespace minic::tune {
namespace {

using GeneratedPlanTest = WholeModelGpuTest;
using testing::HasSubstr;

constexpr Times libraries{7.9, 10.5, 17.8, 15.2}; // an MLP on an H200
constexpr Times kernels{8.1, 9.3, 16.5, 14.2};
constexpr Times byDefault{14.3, 15, 22.8, 20};

TEST_F(GeneratedPlanTest, ShipsWhereOneCallIsFaster) {
  generated = kernels;
  WholeModelResult result = check(libraries, byDefault);
  ASSERT_TRUE(result.generated && result.plans && result.graph);
  EXPECT_TRUE(result.generated->tunedShips);
  EXPECT_NEAR(result.generated->call.ratio, 14.2 / 15.2, 0.01);
  EXPECT_NEAR(result.generated->backToBack.ratio, 9.3 / 10.5, 0.01);
  EXPECT_THAT(describe(*result.generated),
              testing::StartsWith("generated kernels alone 9.3"));
  EXPECT_THAT(describe(*result.generated),
              testing::EndsWith(": generated kernels alone won"));
  // The other verdicts are about it.
  EXPECT_TRUE(result.plans->tunedShips);
  EXPECT_NEAR(result.plans->backToBack.tunedUs, 9.3, 0.1);
  EXPECT_TRUE(result.graph->tunedShips);
  EXPECT_NEAR(result.graph->backToBack.defaultUs, 8.1, 0.1);
}

TEST_F(GeneratedPlanTest, LosesWhereOneCallIsSlower) {
  generated = libraries;
  WholeModelResult result = check(kernels, byDefault);
  ASSERT_TRUE(result.generated && result.plans && result.graph);
  EXPECT_FALSE(result.generated->tunedShips);
  EXPECT_THAT(describe(*result.generated), HasSubstr(": with libraries won"));
  EXPECT_TRUE(result.plans->tunedShips);
  EXPECT_NEAR(result.plans->backToBack.tunedUs, 9.3, 0.1);
}

TEST_F(GeneratedPlanTest, ATieKeepsTheFastestCandidates) {
  generated = kernels;
  EXPECT_FALSE(check(kernels, byDefault).generated->tunedShips);
}

TEST_F(GeneratedPlanTest, OneThatMayNotShipDoesNotWin) {
  // Its calls are faster, but back to back both of its ways are slower than
  // default mode.
  generated = Times{15, 15, 14, 14};
  WholeModelResult result = check(libraries, byDefault);
  EXPECT_FALSE(result.generated->tunedShips);
  EXPECT_TRUE(result.plans->tunedShips);
  // Nor does what it is compared with, where only it may ship.
  generated = kernels;
  inputs.retune = true;
  result = check({15, 15, 14, 14}, byDefault);
  EXPECT_TRUE(result.generated->tunedShips);
  EXPECT_TRUE(result.plans->tunedShips);
}

TEST_F(GeneratedPlanTest, OfTwoSlowPlansTheDefaultOneShips) {
  generated = Times{15, 15, 25, 25};
  WholeModelResult result = check({16, 16, 26, 26}, byDefault);
  EXPECT_FALSE(result.generated->tunedShips);
  EXPECT_FALSE(result.plans->tunedShips);
}

TEST_F(GeneratedPlanTest, OneThatCannotBeRunIsLeftOut) {
  generated = kernels;
  lacking = "generated";
  WholeModelResult result = check(libraries, byDefault);
  EXPECT_FALSE(result.generated);
  EXPECT_EQ(result.failure, "");
  EXPECT_TRUE(result.plans->tunedShips);
  EXPECT_NEAR(result.plans->backToBack.tunedUs, 10.5, 0.1);
  // It is tried again: memory may be free by then.
  lacking = "";
  result = check(libraries, byDefault);
  EXPECT_TRUE(result.measured);
  EXPECT_TRUE(result.generated->tunedShips);
}

TEST_F(GeneratedPlanTest, OneThatCrashesLeavesTheOthersToTheirRounds) {
  generated = kernels;
  crashing = "generated";
  WholeModelResult result = check(libraries, byDefault);
  EXPECT_FALSE(result.generated);
  EXPECT_EQ(result.failure, "");
  ASSERT_TRUE(result.plans);
  EXPECT_TRUE(result.plans->tunedShips);
  EXPECT_NEAR(result.plans->backToBack.defaultUs, 14.3, 0.2);
}

TEST_F(GeneratedPlanTest, ItsVerdictIsKept) {
  generated = kernels;
  check(libraries, byDefault);
  generated = byDefault;
  WholeModelResult again = check(libraries, byDefault);
  EXPECT_FALSE(again.measured);
  ASSERT_TRUE(again.generated);
  EXPECT_TRUE(again.generated->isOfGenerated());
  EXPECT_TRUE(again.generated->tunedShips);
  EXPECT_NEAR(again.generated->call.tunedUs, 14.2, 0.3);
}

} // namespace
} // namespace minic::tune
